import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** How memories age: limits, what expires, sweeps. */
export class LifecyclePage extends Frame {
  readonly due = this.page.getByTestId('due');
  readonly expiring = this.page.getByTestId('expiring');
  readonly sweeps = this.page.getByTestId('sweep');
  readonly sweepNow = this.page.getByRole('button', { name: 'Sweep now' });

  readonly policy = this.page.getByTestId('policy');
  readonly save = this.page.getByRole('button', { name: 'Save policy' });

  field(label: string): Locator {
    return this.page.getByLabel(label, { exact: true });
  }

  agent(slug: string): Locator {
    return this.page.getByTestId('aging').filter({ hasText: slug });
  }
}
