import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** Active memories that may say the same or contradict each other. */
export class SuggestionsPage extends Frame {
  readonly suggestions = this.page.getByTestId('suggestion');
  readonly compare = this.page.getByRole('button', { name: 'Compare this agent’s memories now' });

  readonly undo = this.page.getByTestId('flash').getByRole('button', { name: 'Undo' });

  suggestion(text: string): Locator {
    return this.suggestions.filter({ hasText: text });
  }

  link(text: string): Locator {
    return this.suggestion(text).getByRole('button', { name: 'Link as contradiction' });
  }

  same(text: string): Locator {
    return this.suggestion(text).getByRole('button', { name: 'They say the same', exact: true });
  }

  decline(text: string): Locator {
    return this.suggestion(text).getByRole('button', { name: 'Decline' });
  }
}
