import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** Where an operator gives a client access, or denies it. */
export class ConsentPage extends Frame {
  readonly asked = this.page.getByTestId('consent');
  readonly agent = this.asked.getByLabel('Agent', { exact: true });
  readonly person = this.asked.getByLabel('Person', { exact: true });
  readonly refused = this.asked.getByTestId('not-allowed');
  readonly allow = this.page.getByRole('button', { name: 'Allow access', exact: true });
  readonly deny = this.page.getByRole('button', { name: 'Deny access', exact: true });

  /** The checkbox of a scope. */
  scope(name: string): Locator {
    return this.asked.getByRole('checkbox', { name });
  }
}
