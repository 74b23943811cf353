import type { Locator, Page } from '@playwright/test';
import { Frame } from './frame';

export class TermsPage extends Frame {
  readonly rows;
  readonly terms;
  readonly text;
  readonly state;
  readonly apply;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.rows = page.getByTestId('term');
    this.terms = this.rows.getByRole('link');
    this.text = page.getByLabel('Term, alias or definition contains');
    this.state = page.getByRole('combobox', { name: 'State' });
    this.apply = page.getByRole('button', { name: 'Apply filters' });
  }

  row(term: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name: term, exact: true }) });
  }

  cell(term: string, column: 'Definition' | 'Aliases' | 'Memories' | 'Agents'): Locator {
    return this.row(term).locator('td').nth(['Definition', 'Aliases', 'Memories', 'Agents'].indexOf(column));
  }
}
