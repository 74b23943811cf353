import { Frame } from './frame';

export class DeletePage extends Frame {
  readonly count = this.page.getByTestId('count');
  readonly rows = this.page.getByRole('table', { name: 'Memories to delete' }).getByRole('row').filter({ has: this.page.getByRole('link') });
  readonly reason = this.page.getByRole('textbox', { name: 'Reason' });
  readonly confirm = this.page.getByRole('button', { name: /^Delete \d+ memor/ });
  readonly cancel = this.page.getByRole('link', { name: 'Cancel' });
}
