import type { Page } from '@playwright/test';
import { Frame } from './frame';

export class AuditPage extends Frame {
  readonly entries;
  readonly actor;
  readonly action;
  readonly target;
  readonly from;
  readonly until;
  readonly apply;
  readonly clear;
  readonly older;
  readonly newer;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.entries = page.getByTestId('entry');
    this.actor = page.getByLabel('Actor');
    this.action = page.getByLabel('Action begins with');
    this.target = page.getByLabel('Target');
    this.from = page.getByLabel('From');
    this.until = page.getByLabel('Until');
    this.apply = page.getByRole('button', { name: 'Apply filters' });
    this.clear = page.getByRole('link', { name: 'Clear', exact: true });
    this.older = page.getByRole('link', { name: 'Older' });
    this.newer = page.getByRole('link', { name: 'Newer' });
  }
}
