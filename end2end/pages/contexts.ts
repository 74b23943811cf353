import { expect, type Locator } from '@playwright/test';
import { FilteredPage, Frame } from './frame';

/** Every context that agents assembled. */
export class ContextLogPage extends FilteredPage {
  readonly rows = this.page.getByTestId('context');
  readonly user = this.page.getByLabel('On behalf of');
  readonly budget = this.page.getByRole('combobox', { name: 'Budget' });
  readonly blocks = this.page.getByRole('combobox', { name: 'Blocks' });
  readonly until = this.page.getByLabel('Assembled until');
  readonly compare = this.page.getByRole('button', { name: 'Compare' });

  /** Opens the log of an agent until it holds so many contexts: they are written a moment after they are assembled. */
  async openWith(agent: string, contexts: number): Promise<void> {
    await this.gotoUntil(`/recall/contexts?agent=${agent}`, async () => expect(await this.rows.count()).toBe(contexts));
  }

  row(query: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name: query, exact: true }) });
  }

  async select(query: string): Promise<void> {
    await this.row(query).getByRole('checkbox').check();
  }
}

/** One context. */
export class ContextPage extends Frame {
  readonly bar = this.page.getByRole('img', { name: /^[\d,]+ tokens?:/ });
  readonly blocks = this.page.getByTestId('block');
  readonly stable = this.page.getByTestId('stable');
  readonly used = this.page.getByTestId('used');
  readonly cut = this.page.getByTestId('cut');
  readonly parts = this.page.getByTestId('part');
  readonly withheld = this.page.getByTestId('withheld');
  readonly compare = this.page.getByRole('link', { name: 'Compare with today' });
  readonly playground = this.page.getByRole('link', { name: 'Open in the playground' });

  /** A block of the text. */
  part(name: string): Locator {
    return this.parts.filter({ has: this.page.getByRole('heading', { name, exact: true }) });
  }

  /** Opens the page until the log has this context. */
  async open(id: string): Promise<void> {
    await this.gotoUntil(`/recall/contexts/${id}`, async () => expect(await this.error.count()).toBe(0));
  }
}

/** Two contexts side by side. */
export class ContextComparisonPage extends Frame {
  readonly earlier = this.page.getByTestId('side-earlier');
  readonly later = this.page.getByTestId('side-later');
  readonly pairs = this.page.getByTestId('pair');
  readonly lines = this.page.getByTestId('lines');
}

/** A context that leaves no trace. */
export class ContextPlaygroundPage extends ContextPage {
  readonly agent = this.page.getByRole('combobox', { name: 'Agent', exact: true });
  readonly question = this.page.getByRole('searchbox', { name: 'Query' });
  readonly budget = this.page.getByLabel('Budget in tokens');
  readonly options = this.page.getByText('Options', { exact: true });
  readonly memory = this.page.getByRole('combobox', { name: 'Memory' });
  readonly assemble = this.page.getByRole('button', { name: 'Assemble', exact: true });
  readonly timings = this.page.getByTestId('timings').getByRole('listitem');
}
