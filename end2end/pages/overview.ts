import type { Locator } from '@playwright/test';
import { Frame } from './frame';

export type TileName =
  | 'Agents'
  | 'Memories'
  | 'Proposals'
  | 'Terms'
  | 'Recalls that found nothing'
  | 'Documents'
  | 'Outbox'
  | 'Inbox'
  | 'Quarantine'
  | 'Events'
  | 'Dead events';

export class OverviewPage extends Frame {
  readonly tiles = this.page.getByTestId('tile');
  readonly chart = this.page.getByRole('img', { name: /^[\d,]+ recalls? in 14 days, / });

  tile(name: TileName): Locator {
    return this.tiles.filter({ hasText: new RegExp(`^\\s*${name}`) });
  }

  value(name: TileName): Locator {
    return this.tile(name).getByTestId('value');
  }

  /** The number of a tile. */
  async number(name: TileName): Promise<number> {
    return Number((await this.value(name).innerText()).replaceAll(',', ''));
  }
}
