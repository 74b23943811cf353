import type { Locator, Page } from '@playwright/test';
import { Frame } from './frame';

export class MemoriesPage extends Frame {
  readonly table;
  readonly rows;
  readonly topics;
  readonly question;
  readonly search;
  readonly agent;
  readonly filters;
  readonly apply;
  readonly pager;
  readonly peek;
  readonly selectAll;
  readonly deleteSelected;
  readonly clear;
  readonly chips;
  readonly views: ViewBar;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.table = page.getByRole('table', { name: 'Memories' });
    this.rows = page.getByTestId('memory');
    this.topics = this.rows.getByRole('link');
    this.question = page.getByRole('searchbox', { name: 'Search memories' });
    this.search = page.getByRole('button', { name: 'Search', exact: true });
    this.agent = page.getByRole('combobox', { name: 'Agent' });
    // How many are set stands in it, too.
    this.filters = page.getByRole('search', { name: 'Memories' }).locator('summary');
    this.apply = page.getByRole('button', { name: 'Apply filters' });
    this.pager = page.getByRole('navigation', { name: 'Pages' });
    this.peek = new Peek(page);
    this.selectAll = page.getByRole('checkbox', { name: 'Select all on this page' });
    this.deleteSelected = page.getByRole('button', { name: 'Delete selected…' });
    this.chips = page.getByTestId('active-filters').getByRole('link');
    this.views = new ViewBar(page);
    this.clear = this.main.getByRole('link', { name: 'Clear all' });
  }

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

  constructor(page: Page) {
    this.panel = page.getByTestId('peek');
    this.topic = this.panel.getByRole('heading', { level: 2 });
    this.content = this.panel.getByTestId('content');
    this.next = this.panel.getByRole('link', { name: 'Next' });
    this.previous = this.panel.getByRole('link', { name: 'Previous' });
    this.close = this.panel.getByRole('link', { name: 'Close' });
    this.open = this.panel.getByRole('link', { name: 'Open page' });
  }
}
