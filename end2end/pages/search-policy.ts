import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** How a search over all sources ranks, and the documents that are relevant to each agent. */
export class SearchPolicyPage extends Frame {
  readonly policy = this.page.getByTestId('policy');
  readonly categories = this.page.getByLabel('Categories (optional)', { exact: true });
  readonly question = this.page.getByRole('searchbox', { name: 'Question to try' });
  readonly show = this.page.getByRole('button', { name: 'Show', exact: true });
  /** Whether the hits differ with the weights to try. */
  readonly verdict = this.page.getByTestId('verdict');
  readonly saveWeights = this.page.getByRole('button', { name: 'Save weights' });
  readonly saveCategories = this.page.getByRole('button', { name: 'Save categories' });

  field(label: string): Locator {
    return this.page.getByLabel(new RegExp(`^${label}( \\(optional\\))?$`));
  }
}
