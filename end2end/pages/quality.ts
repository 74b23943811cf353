import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** Five numbers that say how well memory works for the people it is about. */
export class QualityPage extends Frame {
  readonly apply = this.page.getByRole('button', { name: 'Apply filters' });
  readonly measures = this.page.getByTestId('measure');

  measure(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true });
  }
}
