import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** How a search over all sources ranks, and the documents that are relevant to each agent. */
export class SearchPolicyPage extends Frame {
  readonly policy = this.page.getByTestId('policy');
  readonly categories = this.page.getByLabel('Categories', { exact: true });
  readonly saveWeights = this.page.getByRole('button', { name: 'Save weights' });
  readonly saveCategories = this.page.getByRole('button', { name: 'Save categories' });

  field(label: string): Locator {
    return this.page.getByLabel(label, { exact: true });
  }
}
