import type { Page } from '@playwright/test';
import { Frame } from './frame';

export class DeletePage extends Frame {
  readonly count;
  readonly rows;
  readonly reason;
  readonly confirm;
  readonly cancel;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.count = page.getByTestId('count');
    this.rows = page.getByRole('table', { name: 'Memories to delete' }).getByRole('row').filter({ has: page.getByRole('link') });
    this.reason = page.getByRole('textbox', { name: 'Reason' });
    this.confirm = page.getByRole('button', { name: /^Delete \d+ memor/ });
    this.cancel = page.getByRole('link', { name: 'Cancel' });
  }
}
