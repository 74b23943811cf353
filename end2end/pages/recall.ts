import { expect, type Locator } from '@playwright/test';
import { FilteredPage, Frame } from './frame';

/** How often recall finds nothing. */
export class HealthPage extends FilteredPage {
  readonly tiles = this.page.getByTestId('tiles');
  readonly chart = this.page.getByRole('group', { name: /recalls? found nothing/ });
  readonly stored = this.page.getByTestId('stored');
  readonly lastWrite = this.page.getByTestId('last-write');
  readonly withoutMemories = this.page.getByTestId('without-memories');
  readonly items = this.page.getByTestId('zero-hit');
  readonly period = this.page.getByRole('combobox', { name: 'Period' });
  readonly day = this.page.getByRole('textbox', { name: 'Day', exact: true });
  readonly hour = this.page.getByRole('combobox', { name: 'Hour', exact: true });
  readonly narrowed = this.page.getByTestId('narrowed');
  readonly agent = this.page.getByRole('combobox', { name: 'Agent', exact: true });
  readonly topic = this.page.getByLabel('Topic');
  readonly cause = this.page.getByRole('combobox', { name: 'Cause' });
  readonly expected = this.page.getByRole('combobox', { name: 'Result expected' });

  /** The bar of the chart of recalls whose name ends so. */
  bar(summary: string): Locator {
    return this.chart.getByTestId('bar').and(this.page.getByLabel(new RegExp(`: ${summary}$`)));
  }

  /** The number of the tile with this name. */
  tile(name: 'Recalls' | 'Found nothing' | 'Missed expected results'): Locator {
    return this.valueOf(this.tiles, name);
  }

  /** What asked this. */
  item(query: string): Locator {
    return this.items.filter({ has: this.page.getByRole('heading', { name: query, exact: true }) });
  }

  /** The line of a table of bars that filters the page. */
  chosenLine(by: 'cause' | 'agent' | 'topic'): Locator {
    return this.page.locator(`tr[data-testid="by-${by}"][aria-current="true"]`);
  }

  /** A line of one of the tables of bars. */
  line(by: 'cause' | 'agent' | 'topic', name: string): Locator {
    return this.page.getByTestId(`by-${by}`).getByRole('link', { name, exact: true });
  }
}

/** A recall that leaves no trace. */
export class PlaygroundPage extends Frame {
  readonly agent = this.page.getByRole('combobox', { name: 'Agent', exact: true });
  readonly question = this.page.getByRole('searchbox', { name: 'Question' });
  readonly k = this.page.getByLabel('Maximum hits');
  readonly options = this.page.getByText('Options and filters');
  readonly ranking = this.page.getByRole('combobox', { name: 'Ranking' });
  readonly kind = this.page.getByRole('combobox', { name: 'Kind' });
  readonly ask = this.page.getByRole('button', { name: 'Recall', exact: true });
  readonly words = this.page.getByTestId('words');
  readonly timings = this.page.getByTestId('timings').getByRole('listitem');
  readonly candidates = this.page.getByTestId('candidate');
  readonly silent = this.page.getByTestId('silent');

  candidate(label: string | RegExp): Locator {
    return this.candidates.filter({ has: this.page.getByRole('link', { name: label }) });
  }

  /** What the vocabulary did, by its name. */
  word(name: string): Locator {
    return this.valueOf(this.words, name);
  }
}

/** Why an agent does not recall a memory. */
export class DiagnosePage extends Frame {
  readonly agent = this.page.getByRole('combobox', { name: 'Agent', exact: true });
  readonly memory = this.page.getByLabel('Memory', { exact: true });
  readonly user = this.page.getByLabel('On behalf of a user');
  readonly k = this.page.getByLabel('Maximum hits');
  readonly question = this.page.getByRole('searchbox', { name: 'Question' });
  readonly options = this.page.getByText('Options and filters');
  readonly ask = this.page.getByRole('button', { name: 'Diagnose', exact: true });
  readonly verdict = this.page.getByTestId('verdict');
  readonly gates = this.page.getByTestId('gates').getByRole('listitem');
  readonly numbers = this.page.getByTestId('numbers');

  /** The gate with this name. */
  gate(name: string): Locator {
    return this.gates.filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** Opens the diagnosis of a memory. */
  async open(agent: string, memory: string, question: string, more: Record<string, string> = {}): Promise<void> {
    await this.goto(`/recall/diagnose?${new URLSearchParams({ agent, memory, q: question, ...more })}`);
  }
}

/** Every recall that agents made. */
export class LogPage extends FilteredPage {
  readonly rows = this.page.getByTestId('retrieval');
  readonly question = this.page.getByRole('searchbox', { name: 'Query contains' });
  readonly agent = this.page.getByRole('combobox', { name: 'Agent', exact: true });
  readonly outcome = this.page.getByRole('combobox', { name: 'Outcome' });
  readonly ranking = this.page.getByRole('combobox', { name: 'Ranking' });
  readonly memory = this.page.getByLabel('Returned the memory');
  readonly from = this.page.getByLabel('Asked from');
  readonly until = this.page.getByLabel('Asked until');
  readonly pager = this.page.getByRole('navigation', { name: 'Pages' });

  /** Opens the log of an agent until it holds so many recalls: they are written a moment after they are answered. */
  async openWith(agent: string, recalls: number): Promise<void> {
    await this.gotoUntil(`/recall/log?agent=${agent}`, async () => expect(await this.rows.count()).toBe(recalls));
  }

  row(query: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name: query, exact: true }) });
  }
}

/** One recall. */
export class RetrievalPage extends Frame {
  readonly considered = this.page.getByTestId('considered');
  readonly replay = this.page.getByRole('link', { name: 'Replay this recall' });
  readonly diagnose = this.page.getByRole('link', { name: 'Diagnose a missing memory' });
  readonly hide = this.page.getByRole('link', { name: 'Hide the replay' });
  readonly verdict = this.page.getByTestId('verdict');
  readonly lost = this.page.getByTestId('lost');
  readonly nothing = this.page.getByRole('region', { name: 'Why nothing was found' });

  column(name: 'Logged' | 'Replayed' | 'Today'): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  /** Opens the page until the log has this recall. */
  async open(id: string, query = ''): Promise<void> {
    await this.gotoUntil(`/recall/log/${id}${query}`, async () => expect(await this.error.count()).toBe(0));
  }
}
