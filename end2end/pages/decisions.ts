import { expect, type Locator } from '@playwright/test';
import { Frame } from './frame';

export class DecisionsPage extends Frame {
  readonly rows = this.page.getByTestId('decision');

  /** Rows of decisions that say this. */
  about(text: string): Locator {
    return this.rows.filter({ hasText: text });
  }

  undo(row: Locator): Locator {
    return row.getByRole('button', { name: /^Undo/ }).filter({ visible: true });
  }

  /** On the page that shows decisions of one step before they are undone. */
  confirm(name: string): Locator {
    return this.main.getByRole('button', { name, exact: true });
  }

  /** Opens the page until every memory that the decision concerns has been refiled. */
  async openSettled(text: string): Promise<void> {
    await this.gotoUntil('/vocabulary/decisions', async () => {
      expect(await this.about(text).count()).toBeGreaterThan(0);
      expect(await this.about(text).getByRole('progressbar').count()).toBe(0);
    });
  }
}
