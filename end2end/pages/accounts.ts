import type { Locator } from '@playwright/test';
import { Frame } from './frame';

/** The list of accounts, and the page of one. */
export class AccountsPage extends Frame {
  readonly rows = this.page.getByTestId('account-row');
  readonly links = this.page.getByTestId('link');
  /** The one-time link that was just made. */
  readonly newLink = this.page.getByTestId('new-link').getByTestId('text');
  readonly removed = this.page.getByTestId('removed');
  private readonly login = this.page.getByRole('textbox', { name: 'Login' });

  row(login: string): Locator {
    return this.rows.filter({ hasText: login });
  }

  /** Makes an invitation; returns the path of its link. */
  async invite(login: string, name: string): Promise<string> {
    await this.login.fill(login);
    await this.page.getByRole('textbox', { name: 'Name' }).fill(name);
    await this.send(this.page.getByRole('button', { name: 'Make invitation' }));
    const { pathname, search } = new URL(await this.newLink.innerText());
    return pathname + search;
  }

  async withdraw(login: string): Promise<void> {
    await this.send(this.page.getByRole('button', { name: `Withdraw the link for ${login}` }));
  }

  role(name: string): Locator {
    return this.page.getByRole('checkbox', { name: new RegExp(`^${name}`) });
  }

  async save(): Promise<void> {
    await this.send(this.page.getByRole('button', { name: 'Save account' }));
  }

  async endSessions(): Promise<void> {
    await this.send(this.page.getByRole('button', { name: 'End sessions' }));
  }

  async restore(): Promise<void> {
    await this.send(this.page.getByRole('button', { name: 'Give access again' }));
  }

  async remove(login: string): Promise<void> {
    const confirm = this.page.getByRole('textbox', { name: 'Login of the account' });
    if (!(await confirm.isVisible())) await this.page.getByText('Remove…', { exact: true }).click();
    await confirm.fill(login);
    await this.send(this.page.getByRole('button', { name: 'Remove account' }));
  }
}

/** The users whom the organisation named. */
export class UsersPage extends Frame {
  readonly rows = this.page.getByTestId('user-row');
  private readonly reference = this.page.getByRole('textbox', { name: 'Your reference' });
  private readonly name = this.page.getByRole('textbox', { name: 'Name' });

  row(reference: string): Locator {
    return this.rows.filter({ hasText: reference });
  }

  async save(reference: string, name: string): Promise<void> {
    await this.reference.fill(reference);
    await this.name.fill(name);
    await this.send(this.page.getByRole('button', { name: /^(Add|Save) user$/ }));
  }
}
