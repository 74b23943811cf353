import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** What calls of models cost, and the limits on it. */
export class UsagePage extends Frame {
  readonly totals = this.page.getByTestId('total');
  readonly byAgent = this.page.getByRole('table', { name: 'By agent' });
  readonly models = this.page.getByRole('table', { name: 'By model' });
  readonly csv = this.page.getByRole('link', { name: 'CSV' });
  readonly grant = this.page.getByRole('form', { name: 'Grant credit' });
  /** Of the organisation, or of a user. */
  readonly limits = this.page.getByRole('form', { name: /^Limits of/ });
  readonly limitUser = this.page.getByRole('link', { name: 'Limit a user' });
  readonly grantCredit = this.grant.getByRole('button', { name: 'Grant credit' });
  readonly saveLimits = this.limits.getByRole('button', { name: 'Save limits' });

  accountOf(name: string): Locator {
    return this.page.getByTestId('account').filter({ hasText: name });
  }

  credit(reason: string): Locator {
    return this.page.getByTestId('credit').filter({ hasText: reason });
  }
}
