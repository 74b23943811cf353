import { expect, type Page, type Response } from '@playwright/test';
import { Frame } from './frame';

export class MemoryPage extends Frame {
  readonly title;
  readonly content;
  readonly summary;
  readonly history;
  readonly provenance;
  readonly trail;
  readonly facts;
  readonly deleted;
  readonly reason;
  readonly unfoldDelete;
  readonly unfoldRestore;
  readonly delete;
  readonly restore;
  readonly contradictions;
  readonly graph;
  readonly links;
  readonly from;
  readonly to;
  readonly compare;
  readonly stopComparing;
  readonly comparison;
  readonly recalledBy;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.content = page.getByRole('region', { name: 'Content' }).getByTestId('content');
    this.title = page.getByRole('region', { name: 'Content' }).getByTestId('title');
    this.summary = page.getByRole('region', { name: 'Content' }).getByTestId('summary');
    this.history = page.getByTestId('history').getByRole('listitem');
    this.provenance = page.getByTestId('provenance');
    this.trail = page.getByTestId('trail').getByRole('listitem');
    this.facts = page.getByRole('region', { name: 'Facts' });
    this.deleted = page.getByTestId('deleted');
    this.reason = page.getByRole('textbox', { name: 'Reason' });
    this.unfoldDelete = page.getByText('Delete…', { exact: true });
    this.unfoldRestore = page.getByText('Restore…', { exact: true });
    this.delete = page.getByRole('button', { name: 'Delete this memory' });
    this.contradictions = page.getByTestId('contradictions');
    this.graph = page.getByTestId('link-graph');
    this.links = page.getByTestId('links').getByRole('listitem');
    this.from = page.getByRole('combobox', { name: 'From' });
    this.to = page.getByRole('combobox', { name: 'To', exact: true });
    this.compare = page.getByRole('button', { name: 'Compare' });
    this.stopComparing = page.getByRole('link', { name: 'Stop comparing' });
    this.comparison = page.getByTestId('comparison');
    this.recalledBy = page.getByTestId('recalled-by').getByRole('listitem');
    this.restore = page.getByRole('button', { name: 'Restore this memory' });
  }

  async open(id: string): Promise<Response> {
    return this.goto(`/memories/${id}`);
  }

  /** The value beside a name among the facts. */
  fact(name: string) {
    return this.facts.locator('dt').filter({ hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');
  }

  /** Opens the page until the audit trail has so many entries: agents' writes reach it a moment after they are answered. */
  async openWithTrail(id: string, entries: number): Promise<void> {
    await this.gotoUntil(`/memories/${id}`, async () => expect(await this.trail.count()).toBe(entries));
  }
}
