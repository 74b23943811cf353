import { expect, type Page, type Response } from '@playwright/test';
import { Frame } from './frame';

export class MemoryPage extends Frame {
  readonly content;
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

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.content = page.getByRole('region', { name: 'Content' }).getByTestId('content');
    this.history = page.getByTestId('history').getByRole('listitem');
    this.provenance = page.getByTestId('provenance');
    this.trail = page.getByTestId('trail').getByRole('listitem');
    this.facts = page.getByRole('region', { name: 'Facts' });
    this.deleted = page.getByTestId('deleted');
    this.reason = page.getByRole('textbox', { name: 'Reason' });
    this.unfoldDelete = page.getByText('Delete…', { exact: true });
    this.unfoldRestore = page.getByText('Restore…', { exact: true });
    this.delete = page.getByRole('button', { name: 'Delete this memory' });
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
    await expect(async () => {
      await this.open(id);
      expect(await this.trail.count()).toBe(entries);
    }).toPass();
  }
}
