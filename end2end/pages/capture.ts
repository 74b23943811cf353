import { expect, type Locator } from '@playwright/test';
import type { Agent } from '../support/agent';
import { FilteredPage, Frame } from './frame';

/** The form that captures a text. */
export class CapturePage extends Frame {
  readonly text = this.page.getByRole('textbox', { name: 'Text' });
  readonly file = this.page.locator('input[type=file]');
  readonly chooseFile = this.page.getByRole('button', { name: 'Choose a text file' });
  readonly agent = this.page.getByRole('combobox', { name: 'Agent' });
  readonly title = this.page.getByRole('textbox', { name: 'Title' });
  readonly scope = this.page.getByRole('combobox', { name: 'Scope of the memories' });
  readonly project = this.page.getByRole('combobox', { name: 'Project' });
  readonly zoneField = this.page.getByRole('combobox', { name: 'Time zone' });
  readonly submit = this.page.getByRole('button', { name: 'Capture text' });

  mode(name: 'Transcript' | 'Note' | 'Summary'): Locator {
    return this.page.getByRole('radio', { name: new RegExp(`^${name}`) });
  }

  /** Fills in the form and sends it; the page of the source opens. */
  async capture(agent: Agent, text: string, title: string, mode: 'Transcript' | 'Note' | 'Summary' = 'Transcript'): Promise<void> {
    await this.goto('/capture');
    await this.agent.selectOption(agent.slug);
    await this.mode(mode).check();
    await this.title.fill(title);
    await this.text.fill(text);
    // With JavaScript the document stays.
    await this.submit.click();
    await expect(this.page).toHaveURL(/\/sources\//);
    await this.ready();
  }
}

/** The page of one source. */
export class SourcePage extends Frame {
  readonly reading = this.page.getByTestId('reading');
  readonly review = this.page.getByRole('link', { name: /^Review \d+ candidates?$/ });
  readonly turns = this.page.getByTestId('turn');
  /** In which zones the times of the turns are. */
  readonly zones = this.page.getByTestId('zones');
  /** Text that memories quote, as links. */
  readonly quoted = this.page.getByTestId('quoted');
  /** The reasons for which turns are in quarantine. */
  readonly held = this.page.getByTestId('held');
  readonly events = this.page.getByTestId('event');
  /** What the source lacks, in sentences. */
  readonly warnings = this.page.getByTestId('warning');
  readonly speakers = this.page.getByTestId('speaker');

  /** The row of a speaker, with the form that renames them. */
  speaker(name: string): Locator {
    return this.speakers.filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** Fills in the name that a speaker gets, and sends it. */
  async rename(speaker: string, name: string): Promise<void> {
    const row = this.speaker(speaker);
    const field = row.getByLabel('New name');
    if (!(await field.isVisible())) await row.locator('summary').click();
    await field.fill(name);
    await this.send(row.getByRole('button', { name: 'Rename speaker' }));
  }

  /** The form that makes a candidate of words of a turn. */
  readonly form = this.page.getByRole('form', { name: 'New candidate' });
  readonly words = this.form.getByRole('textbox', { name: 'Words' });
  readonly kind = this.form.getByRole('combobox', { name: 'Kind' });
  readonly topic = this.form.getByRole('textbox', { name: 'Topic' });
  readonly addCandidate = this.form.getByRole('button', { name: 'Add candidate' });
  /** The button beside words that are selected. */
  readonly addSelected = this.page.getByTestId('add-selected');

  /** The link that opens the form at the turn with this text. */
  add(text: string): Locator {
    return this.turns.filter({ hasText: text }).getByRole('link', { name: 'Add candidate' });
  }

  /** Refreshes the page in place, as it does while the source is being read. */
  async refresh(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          addEventListener('rmb:shown', () => resolve(), { once: true });
          dispatchEvent(new Event('rmb:stale'));
        }),
    );
  }

  /** Waits until the source is read to its end: the page loads itself again, with and without JavaScript. */
  async read(): Promise<void> {
    await expect(this.page.locator('[data-again]')).toHaveCount(0, { timeout: 30_000 });
    await expect(this.reading).toContainText('Extraction finished.');
    await this.ready();
  }
}

export class SourcesPage extends FilteredPage {
  readonly rows = this.page.getByTestId('source');
  readonly form = this.page.getByRole('combobox', { name: 'Kind' });

  row(title: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name: title, exact: true }) });
  }
}

export class EventsPage extends FilteredPage {
  readonly rows = this.page.getByTestId('event');
  readonly queues = this.page.getByTestId('queue');
  readonly kind = this.page.getByRole('combobox', { name: 'Kind' });
  readonly state = this.page.getByRole('combobox', { name: 'State' });
  readonly agent = this.page.getByRole('combobox', { name: 'Agent' });
  readonly retry = this.page.getByRole('button', { name: /^Retry/ });
}
