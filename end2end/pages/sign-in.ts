import type { Login } from '../support/environment';
import { Frame } from './frame';

export class SignInPage extends Frame {
  readonly login = this.page.getByLabel('Login');
  readonly password = this.page.getByLabel('Password');
  readonly button = this.page.getByRole('button', { name: 'Sign in' });
  readonly refusal = this.page.getByRole('alert');
  readonly notice = this.page.getByRole('status');

  async enter({ login, password }: Login): Promise<void> {
    await this.login.fill(login);
    await this.password.fill(password);
    await this.send(this.button);
  }
}
