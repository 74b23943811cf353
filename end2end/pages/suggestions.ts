import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** Active memories that may say the same or contradict each other. */
export class SuggestionsPage extends Frame {
  readonly suggestions = this.page.getByTestId('suggestion');
  readonly compare = this.page.getByRole('button', { name: 'Compare memories now' });

  readonly undo = this.page.getByTestId('flash').getByRole('button', { name: 'Undo' });

  suggestion(text: string): Locator {
    return this.suggestions.filter({ hasText: text });
  }

  /** Pages through the list until it shows a suggestion with this text; whether there is one. */
  async find(text: string): Promise<boolean> {
    const next = this.page.getByRole('link', { name: 'Next' });
    for (await this.goto('/inbox/suggestions'); (await this.suggestion(text).count()) === 0; await this.goto((await next.getAttribute('href')) ?? '')) {
      if ((await next.count()) === 0) return false;
    }
    return true;
  }

  link(text: string): Locator {
    return this.suggestion(text).getByRole('button', { name: 'Link as contradiction' });
  }

  decline(text: string): Locator {
    return this.suggestion(text).getByRole('button', { name: 'Decline' });
  }
}
