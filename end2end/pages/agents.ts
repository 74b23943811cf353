import type { Locator } from '@playwright/test';
import { Frame } from './frame';

export class AgentsPage extends Frame {
  readonly table = this.page.getByRole('table', { name: 'Agents' });
  readonly rows = this.page.getByTestId('agent');

  /** Makes an agent; its page shows. */
  async create(slug: string): Promise<void> {
    await this.page.getByRole('textbox', { name: 'Slug' }).fill(slug);
    await this.send(this.page.getByRole('button', { name: 'Make agent' }));
  }

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

  /** The key that was just made. */
  readonly secret = this.page.getByTestId('new-secret').getByTestId('text');

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

  /** Makes a key; returns it. */
  async makeKey(name: string): Promise<string> {
    await this.page.getByText('New key…', { exact: true }).click();
    await this.page.getByRole('textbox', { name: 'Name of the key' }).fill(name);
    await this.send(this.page.getByRole('button', { name: 'Make key', exact: true }));
    return this.secret.innerText();
  }

  async rotate(key: Locator, after: string): Promise<string> {
    await key.getByText('Rotate…', { exact: true }).click();
    await key.getByRole('combobox', { name: 'The old key works for' }).selectOption(after);
    await this.send(key.getByRole('button', { name: /^Rotate key/ }));
    return this.secret.innerText();
  }

  async rename(name: string): Promise<void> {
    await this.page.getByText('Change…', { exact: true }).click();
    await this.page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await this.send(this.page.getByRole('button', { name: 'Save settings' }));
  }

  async retire(reason: string): Promise<void> {
    await this.page.getByText('Retire…', { exact: true }).click();
    await this.reason.fill(reason);
    await this.send(this.page.getByRole('button', { name: 'Retire this agent' }));
  }

  async restore(): Promise<void> {
    await this.send(this.page.getByRole('button', { name: 'Bring this agent back' }));
  }
}

/** The page that makes a key for an agent in a host, and the one that waits for its first call. */
export class ConnectPage extends Frame {
  readonly lines = this.page.getByTestId('lines').getByTestId('text');
  readonly firstCall = this.page.getByTestId('first-call');

  async connect(host: string): Promise<void> {
    await this.page.getByRole('combobox', { name: 'Where it runs' }).selectOption(host);
    await this.send(this.page.getByRole('button', { name: 'Make key and show lines' }));
  }
}
