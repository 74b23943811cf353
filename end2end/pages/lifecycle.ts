import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** How memories age: limits, what expires, sweeps. */
export class LifecyclePage extends Frame {
  readonly due = this.page.getByTestId('due');
  readonly expiring = this.page.getByTestId('expiring');
  readonly sweeps = this.page.getByTestId('sweep');
  readonly sweepNow = this.page.getByRole('button', { name: 'Sweep now' });

  agent(slug: string): Locator {
    return this.page.getByTestId('aging').filter({ hasText: slug });
  }
}
