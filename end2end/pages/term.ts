import { expect, type Locator } from '@playwright/test';
import { Frame } from './frame';

/** A term's page, and the step before it is changed. */
export class TermPage extends Frame {
  readonly definition = this.page.getByTestId('definition');
  readonly aliases = this.page.getByTestId('aliases').getByRole('listitem');
  readonly usage = this.page.getByTestId('usage');
  readonly history = this.page.getByTestId('decision');
  readonly show = this.page.getByRole('button', { name: 'Show what changes' }).filter({ visible: true });
  readonly question = this.page.getByTestId('count');
  readonly effect = this.page.getByTestId('effect');
  readonly meanings = this.page.getByTestId('phrase');
  readonly cancel = this.page.getByRole('link', { name: 'Cancel' });

  /** Opens the page of the term of this name by the list. */
  async open(term: string): Promise<void> {
    await this.goto(`/vocabulary/terms?${new URLSearchParams({ q: term })}`);
    await this.page.getByTestId('term').getByRole('link', { name: term, exact: true }).click();
    await expect(this.heading).toHaveText(term);
  }

  /** Opens the page of a term until so many memories are filed under it. */
  async openUsed(term: string, memories: number): Promise<void> {
    await expect(async () => {
      await this.open(term);
      await expect(this.usage).toContainText(memories === 1 ? '1 memory' : `${memories} memories`, { timeout: 500 });
    }).toPass();
  }

  unfold(what: 'Define…' | 'Rename…' | 'Add an alias…' | 'Combine…' | 'Retire…'): Locator {
    return this.main.getByText(what, { exact: true });
  }

  field(name: 'Definition' | 'Category' | 'New name' | 'Alias' | 'Reason' | 'Other term'): Locator {
    return this.main.getByLabel(new RegExp(`^${name}( \\(optional\\))?$`));
  }

  confirm(what: 'Rename' | 'Define' | 'Add alias' | 'Remove alias' | 'Combine' | 'Retire'): Locator {
    return this.main.getByRole('button', { name: what, exact: true });
  }

  removeAlias(alias: string): Locator {
    return this.page.getByRole('link', { name: `Remove the alias ${alias}` });
  }
}
