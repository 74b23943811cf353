import { expect, type Locator, type Page } from '@playwright/test';
import { Frame } from './frame';

/** How often recall finds nothing. */
export class HealthPage extends Frame {
  readonly tiles;
  readonly chart;
  readonly items;
  readonly period;
  readonly agent;
  readonly topic;
  readonly cause;
  readonly expected;
  readonly apply;
  readonly clear;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.tiles = page.getByTestId('tiles');
    this.chart = page.getByRole('img', { name: /recalls? found nothing/ });
    this.items = page.getByTestId('zero-hit');
    this.period = page.getByRole('combobox', { name: 'Period' });
    this.agent = page.getByRole('combobox', { name: 'Agent', exact: true });
    this.topic = page.getByLabel('Topic');
    this.cause = page.getByRole('combobox', { name: 'Cause' });
    this.expected = page.getByRole('combobox', { name: 'Expected by the agent' });
    this.apply = page.getByRole('button', { name: 'Apply filters' });
    this.clear = page.getByRole('link', { name: 'Clear', exact: true });
  }

  /** The number of the tile with this name. */
  tile(name: 'Recalls' | 'Zero-hit rate' | 'Expected zero hits'): Locator {
    return this.tiles.locator('dt').filter({ hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');
  }

  /** What asked this. */
  item(query: string): Locator {
    return this.items.filter({ has: this.page.getByRole('heading', { name: query, exact: true }) });
  }

  /** A line of one of the tables of bars. */
  line(by: 'cause' | 'agent' | 'topic', name: string): Locator {
    return this.page.getByTestId(`by-${by}`).getByRole('link', { name, exact: true });
  }
}

/** A recall that leaves no trace. */
export class PlaygroundPage extends Frame {
  readonly agent;
  readonly question;
  readonly k;
  readonly user;
  readonly ask;
  readonly words;
  readonly timings;
  readonly candidates;
  readonly silent;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.agent = page.getByRole('combobox', { name: 'Agent', exact: true });
    this.question = page.getByRole('searchbox', { name: 'Question' });
    this.k = page.getByLabel('Hits, at most');
    this.user = page.getByLabel('On behalf of a user');
    this.ask = page.getByRole('button', { name: 'Recall', exact: true });
    this.words = page.getByTestId('words');
    this.timings = page.getByTestId('timings').getByRole('listitem');
    this.candidates = page.getByTestId('candidate');
    this.silent = page.getByTestId('silent');
  }

  candidate(label: string | RegExp): Locator {
    return this.candidates.filter({ has: this.page.getByRole('link', { name: label }) });
  }

  /** What the vocabulary did, by its name. */
  word(name: string): Locator {
    return this.words.locator('dt').filter({ hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');
  }
}

/** Every recall that agents made. */
export class LogPage extends Frame {
  readonly rows;
  readonly question;
  readonly agent;
  readonly outcome;
  readonly ranking;
  readonly memory;
  readonly from;
  readonly until;
  readonly apply;
  readonly clear;
  readonly pager;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.rows = page.getByTestId('retrieval');
    this.question = page.getByRole('searchbox', { name: 'Query contains' });
    this.agent = page.getByRole('combobox', { name: 'Agent', exact: true });
    this.outcome = page.getByRole('combobox', { name: 'Outcome' });
    this.ranking = page.getByRole('combobox', { name: 'Ranking' });
    this.memory = page.getByLabel('Returned the memory');
    this.from = page.getByLabel('Asked from');
    this.until = page.getByLabel('Asked until');
    this.apply = page.getByRole('button', { name: 'Apply filters' });
    this.clear = page.getByRole('link', { name: 'Clear', exact: true });
    this.pager = page.getByRole('navigation', { name: 'Pages' });
  }

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
  readonly considered;
  readonly replay;
  readonly hide;
  readonly verdict;
  readonly lost;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.considered = page.getByTestId('considered');
    this.replay = page.getByRole('link', { name: 'Replay this recall' });
    this.hide = page.getByRole('link', { name: 'Hide the replay' });
    this.verdict = page.getByTestId('verdict');
    this.lost = page.getByTestId('lost');
  }

  column(name: 'Logged' | 'Replayed' | 'Today'): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  /** Opens the page until the log has this recall. */
  async open(id: string, query = ''): Promise<void> {
    await this.gotoUntil(`/recall/log/${id}${query}`, async () => expect(await this.error.count()).toBe(0));
  }
}
