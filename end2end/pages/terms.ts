import type { Locator } from '@playwright/test';
import { FilteredPage } from './frame';

export class TermsPage extends FilteredPage {
  readonly rows = this.page.getByTestId('term');
  readonly terms = this.rows.getByRole('link');
  readonly text = this.page.getByLabel('Term, alias or definition contains');
  readonly state = this.page.getByRole('combobox', { name: 'State' });

  /** The forms of the page for a new term. */
  readonly newTerm = {
    field: (name: string) => this.page.getByRole('form', { name: 'New term' }).getByRole('textbox', { name: new RegExp(`^${name}( \\(optional\\))?$`) }),
    create: this.page.getByRole('button', { name: 'Create term' }),
    into: this.page.getByLabel('Term of the alias'),
    addAlias: this.page.getByRole('button', { name: 'Add alias' }),
  };

  row(term: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name: term, exact: true }) });
  }

  cell(term: string, column: 'Definition' | 'Aliases' | 'Memories' | 'Agents'): Locator {
    return this.row(term).locator('td').nth(['Definition', 'Aliases', 'Memories', 'Agents'].indexOf(column));
  }
}
