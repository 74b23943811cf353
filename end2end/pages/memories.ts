import type { Locator, Page } from '@playwright/test';
import { FilteredPage } from './frame';

export class MemoriesPage extends FilteredPage {
  readonly table = this.page.getByRole('table', { name: 'Memories' });
  readonly rows = this.page.getByTestId('memory');
  readonly topics = this.rows.getByRole('link').filter({ hasNotText: /(Restore|Resolve)…/ });
  readonly question = this.page.getByRole('searchbox', { name: 'Search memories' });
  readonly search = this.page.getByRole('button', { name: 'Search', exact: true });
  readonly agent = this.page.getByRole('combobox', { name: 'Agent' });
  // Its name includes how many are set.
  readonly filters = this.page.getByRole('search', { name: 'Memories' }).locator('summary');
  readonly pager = this.page.getByRole('navigation', { name: 'Pages' });
  readonly peek = new Peek(this.page);
  readonly selectAll = this.page.getByRole('checkbox', { name: 'Select all on this page' });
  readonly deleteSelected = this.page.getByRole('button', { name: /^Delete (selected|\d+)…$/ });
  readonly chips = this.page.getByTestId('active-filters').getByRole('link');
  readonly views = new ViewBar(this.page);

  /** Opens the fold of filters, unless it is open. */
  async unfold(): Promise<void> {
    if (!(await this.apply.isVisible())) await this.filters.click();
  }

  row(topic: string): Locator {
    return this.rows.filter({ has: this.topic(topic) });
  }

  /** The link that opens the peek. */
  topic(topic: string): Locator {
    return this.page.getByRole('link', { name: topic, exact: true });
  }

  /** The link to the form that restores a deleted memory. */
  restore(topic: string): Locator {
    return this.row(topic).getByRole('link', { name: /^Restore…/ });
  }

  /** The link to the form that resolves the contradictions of a memory. */
  resolve(topic: string): Locator {
    return this.row(topic).getByRole('link', { name: /^Resolve…/ });
  }

  select(topic: string): Locator {
    return this.page.getByRole('checkbox', { name: `Select “${topic}”` });
  }

  step(direction: 'Newer' | 'Older'): Locator {
    return this.pager.getByRole('link', { name: direction });
  }

  /** Scores of the ranked rows, from top to bottom. */
  async scores(): Promise<number[]> {
    const bars = await this.rows.getByText(/^Score\s*\d/).allTextContents();
    return bars.map((text) => Number(text.replace(/^\D+/, '')));
  }
}

/** What an operator keeps above a list. */
export class ViewBar {
  readonly links;
  readonly unfoldSave;
  readonly name;
  readonly save;
  readonly unfoldManage;

  constructor(readonly page: Page) {
    this.links = page.getByRole('list', { name: 'Saved views' }).getByRole('link');
    this.unfoldSave = page.getByText('Save this view…', { exact: true });
    this.name = page.getByRole('textbox', { name: 'Name of the view' });
    this.save = page.getByRole('button', { name: 'Save view' });
    this.unfoldManage = page.getByText('Manage views…', { exact: true });
  }

  link(name: string): Locator {
    return this.page.getByTestId('view-bar').getByRole('link', { name, exact: true });
  }

  field(name: string): Locator {
    return this.page.getByRole('textbox', { name: `Rename “${name}”` });
  }

  rename(name: string): Locator {
    return this.page.getByRole('button', { name: `Rename “${name}”` });
  }

  delete(name: string): Locator {
    return this.page.getByRole('button', { name: `Delete “${name}”` });
  }

  /** The button that changes who sees a view. */
  share(verb: 'Share' | 'Pin' | 'Unpin' | 'Make private', name: string): Locator {
    return this.page.getByRole('button', { name: `${verb} “${name}”`, exact: true });
  }
}

/** The panel beside the list. */
export class Peek {
  readonly panel;
  readonly topic;
  readonly content;
  readonly next;
  readonly previous;
  readonly close;
  readonly open;
  readonly correct;
  /** Unfolds the form. */
  readonly delete;
  readonly reason;
  readonly confirm;

  constructor(page: Page) {
    this.panel = page.getByTestId('peek');
    this.topic = this.panel.getByRole('heading', { level: 2 });
    this.content = this.panel.getByTestId('content');
    this.next = this.panel.getByRole('link', { name: 'Next' });
    this.previous = this.panel.getByRole('link', { name: 'Previous' });
    this.close = this.panel.getByRole('link', { name: 'Close' });
    this.open = this.panel.getByRole('link', { name: 'Open page' });
    this.correct = this.panel.getByRole('link', { name: 'Correct…' });
    this.delete = this.panel.getByText('Delete…', { exact: true });
    this.reason = this.panel.getByLabel('Reason');
    this.confirm = this.panel.getByRole('button', { name: 'Delete this memory' });
  }
}
