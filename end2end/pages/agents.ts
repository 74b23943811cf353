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
  cell(slug: string, column: 'Live' | 'Deleted' | 'New this week' | 'Activity' | 'Last write' | 'Last recall'): Locator {
    const columns = ['Live', 'Deleted', 'New this week', 'Activity', 'Last write', 'Last recall'];
    return this.row(slug).locator('td').nth(columns.indexOf(column));
  }
}

export class AgentPage extends Frame {
  readonly keys = this.page.getByTestId('key');
  readonly users = this.page.getByTestId('user');
  readonly memories = this.page.getByTestId('memories');
  readonly blocked = this.page.getByTestId('blocked');
  private readonly reason = this.page.getByRole('textbox', { name: 'Reason' });

  /** The key with this text. */
  key(text: string): Locator {
    return this.keys.filter({ hasText: text });
  }

  async revoke(key: Locator): Promise<void> {
    await key.getByText('Revoke…', { exact: true }).click();
    await this.send(key.getByRole('button', { name: /^Revoke key/ }));
  }

  async block(reason: string): Promise<void> {
    await this.page.getByText('Block…', { exact: true }).click();
    await this.reason.fill(reason);
    await this.send(this.page.getByRole('button', { name: 'Block this agent' }));
  }

  async unblock(reason: string): Promise<void> {
    await this.page.getByText('Unblock…', { exact: true }).click();
    await this.reason.fill(reason);
    await this.send(this.page.getByRole('button', { name: 'Unblock this agent' }));
  }
}
