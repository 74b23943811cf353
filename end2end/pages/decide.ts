import { Frame } from './frame';

/** The step before several proposals, or one under another name, are decided. */
export class DecidePage extends Frame {
  readonly question = this.page.getByTestId('count');
  readonly rows = this.page.getByRole('table', { name: 'Proposals to decide' }).getByRole('row').filter({ has: this.page.getByRole('link') });
  readonly effect = this.page.getByTestId('effect');
  readonly meanings = this.page.getByTestId('phrase');
  readonly into = this.page.getByRole('combobox', { name: 'Term' });
  readonly term = this.page.getByRole('textbox', { name: 'Term' });
  readonly definition = this.page.getByRole('textbox', { name: 'Definition' });
  readonly reason = this.page.getByRole('textbox', { name: 'Reason' });
  readonly show = this.page.getByRole('button', { name: 'Show what changes' });
  readonly confirm = this.page.getByRole('button', { name: /^((Approve|Merge|Reject) (“|\d)|Make one term$)/ });
  /** The phrase that becomes the term of all. */
  readonly phrase = this.page.getByRole('combobox', { name: 'Phrase' });
  readonly showTerm = this.page.getByRole('button', { name: 'Show the new term' });
  readonly cancel = this.page.getByRole('link', { name: 'Cancel' });
}
