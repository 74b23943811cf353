import { expect } from '@playwright/test';
import { FilteredPage, Frame } from './frame';

/** Every session of a coding agent. */
export class SessionsPage extends FilteredPage {
  readonly rows = this.page.getByTestId('session');
  readonly host = this.page.getByRole('combobox', { name: 'Host' });
}

/** One session. */
export class SessionPage extends Frame {
  readonly given = this.page.getByTestId('given');
  readonly captured = this.page.getByTestId('captured');
  readonly numbers = this.page.getByTestId('numbers');

  /** Loads the page again until it shows so many recalls and contexts: the log is written a moment behind the answers. */
  async until(given: number): Promise<void> {
    const path = new URL(this.page.url()).pathname;
    await this.gotoUntil(path, async () => expect(await this.given.count()).toBe(given));
  }
}
