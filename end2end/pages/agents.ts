import type { Locator, Page } from '@playwright/test';
import { Frame } from './frame';

export class AgentsPage extends Frame {
  readonly table;
  readonly rows;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.table = page.getByRole('table', { name: 'Agents' });
    this.rows = page.getByTestId('agent');
  }

  /** An agent's row. */
  row(slug: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name: slug, exact: true }) });
  }

  /** What a row shows in the column of this name. */
  cell(slug: string, column: 'Live' | 'Deleted' | 'Added' | 'Activity' | 'Last write' | 'Last recall'): Locator {
    const columns = ['Live', 'Deleted', 'Added', 'Activity', 'Last write', 'Last recall'];
    return this.row(slug).locator('td').nth(columns.indexOf(column));
  }
}
