import { expect, type Locator } from '@playwright/test';
import type { Agent } from '../support/agent';
import { FilteredPage, Frame } from './frame';

/** What agents know about people. */
export class PeoplePage extends FilteredPage {
  readonly rows = this.page.getByTestId('person');
  readonly person = this.page.getByLabel('Person begins with');
  /** The people whom the filter may mean. */
  readonly found = this.page.getByTestId('found').getByRole('link');

  /** The list with this agent's profiles. */
  address(agent: Agent): string {
    return `/people?${new URLSearchParams({ agent: agent.id })}`;
  }

  /** Opens the list until it has so many profiles of an agent: observations are processed a moment after they are accepted. */
  async openWith(agent: Agent, count: number): Promise<void> {
    await this.gotoUntil(this.address(agent), async () => expect(await this.rows.count()).toBe(count));
  }
}

/** One profile: narrative, entries, connections, history. */
export class PersonPage extends Frame {
  readonly narrative = this.page.getByTestId('narrative');
  readonly entries = this.page.getByTestId('entry');
  readonly disputed = this.page.getByTestId('disputed');
  readonly history = this.page.getByTestId('history');
  readonly connections = this.page.getByTestId('connection');
  readonly forgetEntry = this.page.getByRole('button', { name: 'Forget entry' });
  /** In the message about what was done. */
  readonly undo = this.flash.getByRole('button', { name: 'Undo' });

  /** Opens the profile of an agent that knows nobody in particular until it has an entry with this text. */
  async open(agent: Agent, text: string): Promise<void> {
    await this.gotoUntil(`/people/${agent.id}/nobody`, async () => expect(await this.entry(text).count()).toBe(1));
  }

  entry(text: string): Locator {
    return this.entries.filter({ hasText: text });
  }

  why(text: string): Locator {
    return this.entry(text).locator('summary').filter({ hasText: /^Why/ });
  }

  sentences(text: string): Locator {
    return this.entry(text).getByTestId('sentence');
  }

  /** Unfolds the form that forgets an entry. */
  async forget(text: string, reason: string): Promise<void> {
    const entry = this.entry(text);
    await entry.locator('summary').filter({ hasText: /^Forget/ }).click();
    const form = entry.locator('form').filter({ has: this.forgetEntry });
    await form.getByLabel('Reason').fill(reason);
    await this.send(form.getByRole('button', { name: 'Forget entry' }));
  }

  /** Unfolds the form that gives an entry another value. */
  async correct(text: string, value: string, reason: string): Promise<void> {
    const entry = this.entry(text);
    await entry.locator('summary').filter({ hasText: /^Correct/ }).click();
    const form = entry.locator('form').filter({ has: this.page.getByRole('button', { name: 'Correct entry' }) });
    await form.getByLabel('Value').fill(value);
    await form.getByLabel('Reason').fill(reason);
    await this.send(form.getByRole('button', { name: 'Correct entry' }));
  }
}
