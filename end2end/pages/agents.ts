import type { Locator } from '@playwright/test';
import { Frame } from './frame';

export class AgentsPage extends Frame {
  readonly table = this.page.getByRole('table', { name: 'Agents' });
  readonly rows = this.page.getByTestId('agent');

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
