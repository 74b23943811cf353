import type { Page } from '@playwright/test';
import type { Login } from '../support/environment';
import { Frame } from './frame';

export class SignInPage extends Frame {
  readonly login;
  readonly password;
  readonly button;
  readonly refusal;
  readonly notice;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.login = page.getByLabel('Login');
    this.password = page.getByLabel('Password');
    this.button = page.getByRole('button', { name: 'Sign in' });
    this.refusal = page.getByRole('alert');
    this.notice = page.getByRole('status');
  }

  async enter({ login, password }: Login): Promise<void> {
    await this.login.fill(login);
    await this.password.fill(password);
    await this.send(this.button);
  }
}
