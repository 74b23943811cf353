import type { Locator } from '@playwright/test';
import { Frame } from './frame';

/** The page of webhooks. */
export class WebhooksPage extends Frame {
  readonly rows = this.page.getByTestId('webhook');
  readonly form = this.page.getByRole('form', { name: 'New webhook' });
  readonly secret = this.page.getByTestId('new-secret').getByTestId('text');

  row(url: string): Locator {
    return this.rows.filter({ hasText: url });
  }

  async create(url: string, event: string): Promise<void> {
    await this.form.getByRole('textbox', { name: 'Address' }).fill(url);
    await this.form.getByRole('checkbox', { name: event }).check();
    await this.send(this.form.getByRole('button', { name: 'Create webhook', exact: true }));
  }
}
