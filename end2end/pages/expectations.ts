import { expect, type Locator } from '@playwright/test';
import { Frame } from './frame';

/** The list of sets of expectations, the page of one, and the form for a new expectation. */
export class ExpectationsPage extends Frame {
  readonly sets = this.page.getByTestId('set');
  readonly rows = this.page.getByTestId('expectation');
  readonly lastRun = this.page.getByTestId('last-run');
  readonly chart = this.page.getByTestId('runs').getByRole('img');
  readonly run = this.page.getByRole('button', { name: 'Run the set' });
  readonly unfoldDelete = this.page.getByText('Delete set…');
  readonly delete = this.page.getByRole('button', { name: 'Delete set', exact: true });
  readonly question = this.page.getByRole('textbox', { name: 'Question' });
  readonly agent = this.page.getByRole('combobox', { name: 'Agent', exact: true });
  readonly memories = this.page.getByRole('textbox', { name: 'Expected memories' });
  readonly newSet = this.page.getByRole('textbox', { name: 'Name of a new set' });
  readonly add = this.page.getByRole('button', { name: 'Add expectation' });
  /** The way from a recall to the form. */
  readonly open = this.page.getByRole('link', { name: 'This should have been found' });

  row(set: string): Locator {
    return this.sets.filter({ has: this.page.getByRole('link', { name: set, exact: true }) });
  }

  /** Requests a run, and opens the page until its number is there. */
  async runUntil(met: string): Promise<void> {
    await this.send(this.run);
    const path = new URL(this.page.url()).pathname;
    await this.gotoUntil(path, async () => expect(this.valueOf(this.lastRun, 'Met')).toHaveText(met, { timeout: 1_000 }));
  }
}
