import { expect, type Response } from '@playwright/test';
import { Frame } from './frame';

export class MemoryPage extends Frame {
  readonly review = this.page.getByTestId('review');
  readonly readers = this.page.getByTestId('readers');
  readonly markReviewed = this.review.getByRole('button', { name: 'Mark as reviewed' });
  /** What changed after the refused form was shown: both texts. */
  readonly changed = this.page.getByTestId('changed');
  readonly content = this.page.getByRole('region', { name: 'Content' }).getByTestId('content');
  readonly title = this.page.getByRole('region', { name: 'Content' }).getByTestId('title');
  readonly summary = this.page.getByRole('region', { name: 'Content' }).getByTestId('summary');
  readonly reasons = this.page.getByRole('region', { name: 'Content' }).getByTestId('reasons');
  /** The sentences that it comes from. */
  readonly evidence = this.page.getByRole('region', { name: 'Evidence' });
  readonly history = this.page.getByTestId('history').getByRole('listitem');
  readonly provenance = this.page.getByTestId('provenance');
  readonly trail = this.page.getByTestId('trail').getByRole('listitem');
  readonly facts = this.page.getByRole('region', { name: 'Facts' });
  readonly deleted = this.page.getByTestId('deleted');
  readonly reason = this.page.getByRole('textbox', { name: 'Reason' });
  readonly unfoldDelete = this.page.getByText('Delete…', { exact: true });
  readonly unfoldCorrect = this.page.getByText('Correct…', { exact: true });
  /** The link to the list that led here. */
  readonly back = this.main.getByRole('link', { name: 'Memories', exact: true });
  readonly newContent = this.page.getByRole('textbox', { name: 'Content' });
  readonly correct = this.page.getByRole('button', { name: 'Correct this memory' });
  readonly undo = this.page.getByTestId('flash').getByRole('button', { name: 'Undo' });
  readonly delete = this.page.getByRole('button', { name: 'Delete this memory' });
  readonly contradictions = this.page.getByTestId('contradictions');
  /** The folded forms that resolve a contradiction, remove a link and make one. */
  readonly resolve = this.contradictions.getByTestId('resolve');
  readonly unlink = this.page.getByTestId('unlink');
  readonly linkTo = this.page.getByTestId('link-to');
  readonly graph = this.page.getByTestId('link-graph');
  readonly links = this.page.getByTestId('links').getByRole('listitem');
  readonly undoLink = this.page.getByTestId('undo-link').getByRole('button', { name: 'Undo' });
  readonly from = this.page.getByRole('combobox', { name: 'From' });
  readonly to = this.page.getByRole('combobox', { name: 'To', exact: true });
  readonly compare = this.page.getByRole('button', { name: 'Compare' });
  readonly stopComparing = this.page.getByRole('link', { name: 'Stop comparing' });
  readonly comparison = this.page.getByTestId('comparison');
  readonly recalledBy = this.page.getByTestId('recalled-by').getByRole('listitem');
  readonly whyNot = this.page.getByRole('link', { name: 'Why was it not recalled?' });
  readonly restore = this.page.getByRole('button', { name: 'Restore this memory' });

  async open(id: string): Promise<Response> {
    return this.goto(`/memories/${id}`);
  }

  /** The value beside a name among the facts. */
  fact(name: string) {
    return this.valueOf(this.facts, name);
  }

  /** Opens the page until the audit trail has so many entries: agents' writes reach it a moment after they are answered. */
  async openWithTrail(id: string, entries: number): Promise<void> {
    await this.gotoUntil(`/memories/${id}`, async () => expect(await this.trail.count()).toBe(entries));
  }
}
