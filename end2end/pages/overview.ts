import type { Locator } from '@playwright/test';
import { Frame } from './frame';

export type TileName = 'Memories stored' | 'Recalls' | 'Recalls that found nothing' | 'Contexts assembled';
export type TotalName = 'Agents' | 'Memories' | 'Terms' | 'Documents' | 'Profiles of people';

export class OverviewPage extends Frame {
  readonly attention = this.page.getByRole('region', { name: 'Needs attention' });
  readonly items = this.page.getByTestId('attention');
  readonly tiles = this.page.getByTestId('tile');
  readonly totals = this.page.getByTestId('inventory');
  readonly newest = this.page.getByTestId('newest');
  readonly chart = this.page.getByRole('group', { name: /^24 hours: / });

  /** The item of what needs attention with this name. */
  item(name: string): Locator {
    return this.items.filter({ hasText: name });
  }

  tile(name: TileName): Locator {
    return this.tiles.filter({ has: this.page.getByText(name, { exact: true }) });
  }

  totalOf(name: TotalName): Locator {
    return this.totals.filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** The number of a tile or of a total. */
  async number(within: Locator): Promise<number> {
    return Number((await within.getByTestId('value').innerText()).replaceAll(',', ''));
  }
}
