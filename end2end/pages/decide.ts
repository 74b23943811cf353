import type { Page } from '@playwright/test';
import { Frame } from './frame';

/** The step before several proposals, or one under another name, are decided. */
export class DecidePage extends Frame {
  readonly question;
  readonly rows;
  readonly effect;
  readonly meanings;
  readonly into;
  readonly term;
  readonly definition;
  readonly reason;
  readonly show;
  readonly confirm;
  readonly cancel;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.question = page.getByTestId('count');
    this.rows = page.getByRole('table', { name: 'Proposals to decide' }).getByRole('row').filter({ has: page.getByRole('link') });
    this.effect = page.getByTestId('effect');
    this.meanings = page.getByTestId('phrase');
    this.into = page.getByRole('combobox', { name: 'Term' });
    this.term = page.getByRole('textbox', { name: 'Term' });
    this.definition = page.getByRole('textbox', { name: 'Definition' });
    this.reason = page.getByRole('textbox', { name: 'Reason' });
    this.show = page.getByRole('button', { name: 'Show what changes' });
    this.confirm = page.getByRole('button', { name: /^(Approve|Merge|Reject) (“|\d)/ });
    this.cancel = page.getByRole('link', { name: 'Cancel' });
  }
}
