import { expect, type Locator, type Page } from '@playwright/test';
import { unique, type Agent, type Remembered } from '../support/agent';
import { FilteredPage } from './frame';

/** The review queue with its panel. */
export class VocabularyPage extends FilteredPage {
  readonly rows = this.page.getByTestId('proposal');
  readonly phrases = this.rows.getByRole('link');
  readonly phrase = this.page.getByLabel('Phrase contains');
  readonly state = this.page.getByRole('combobox', { name: 'State' });
  readonly selectAll = this.page.getByRole('checkbox', { name: 'Select all on this page' });
  readonly approveSelected = this.page.getByRole('button', { name: /^Approve (selected|\d+)…$/ });
  readonly mergeSelected = this.page.getByRole('button', { name: /^Merge (selected|\d+)…$/ });
  readonly rejectSelected = this.page.getByRole('button', { name: /^Reject (selected|\d+)…$/ });
  readonly focus = new Focus(this.page);
  /** In the message about what was done. */
  readonly undo = this.flash.getByRole('button', { name: 'Undo' });
  readonly redo = this.flash.getByRole('button', { name: 'Redo' });

  row(phrase: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name: phrase, exact: true }) });
  }

  select(phrase: string): Locator {
    return this.page.getByRole('checkbox', { name: `Select “${phrase}”` });
  }

  /** Opens the queue with phrases that contain `q` until there are so many: proposals arrive a moment after memories. */
  async openWith(q: string, count: number, filters: Record<string, string> = {}): Promise<void> {
    await this.gotoUntil(`/vocabulary?${new URLSearchParams({ q, ...filters })}`, async () => expect(await this.rows.count()).toBe(count));
  }

  /** The proposal of this phrase in the panel, once it is there. */
  async open(phrase: string): Promise<void> {
    await this.openWith(phrase, 1);
    await this.phrases.click();
    await expect(this.focus.phrase).toHaveText(phrase);
  }

  /** A memory under this phrase, whose proposal is approved as it is: the phrase is a term from then on. */
  async term(agent: Agent, phrase: string): Promise<Remembered> {
    const made = await agent.remember({ topic_raw: phrase, content: `What is known about ${unique('it')}.` });
    await this.open(phrase);
    await this.send(this.focus.approve);
    await expect(this.flash).toContainText(`“${phrase}” is a term now.`);
    return made;
  }
}

/** The panel beside the queue. */
export class Focus {
  readonly panel;
  readonly phrase;
  readonly effect;
  readonly evidence;
  readonly nearest;
  readonly similar;
  readonly mergeAll;
  readonly merge;
  readonly into;
  readonly mergeInto;
  readonly term;
  readonly definition;
  readonly category;
  readonly approve;
  readonly reason;
  readonly reject;
  readonly decided;
  readonly next;
  readonly previous;
  readonly close;

  constructor(page: Page) {
    this.panel = page.getByTestId('focus');
    this.phrase = this.panel.getByRole('heading', { level: 2 });
    this.effect = this.panel.getByTestId('effect');
    this.evidence = this.panel.getByTestId('evidence');
    this.nearest = this.panel.getByTestId('nearest').getByRole('listitem');
    /** Proposals of the list with a similar spelling. */
    this.similar = this.panel.getByTestId('similar').getByRole('listitem');
    this.mergeAll = this.panel.getByRole('link', { name: 'Merge all of them…' });
    /** The buttons beside the nearest terms, best first. */
    this.merge = this.panel.getByRole('button', { name: /^Merge into (?!it$)/ });
    this.into = this.panel.getByRole('combobox', { name: 'Existing term' });
    this.mergeInto = this.panel.getByRole('button', { name: 'Merge into term', exact: true });
    this.term = this.panel.getByRole('textbox', { name: 'Term' });
    this.definition = this.panel.getByRole('textbox', { name: 'Definition' });
    this.category = this.panel.getByRole('textbox', { name: 'Category' });
    this.approve = this.panel.getByRole('button', { name: 'Approve' });
    this.reason = this.panel.getByRole('textbox', { name: 'Reason for rejection' });
    this.reject = this.panel.getByRole('button', { name: 'Reject' });
    this.decided = this.panel.getByTestId('decided');
    this.next = this.panel.getByRole('link', { name: 'Next' });
    this.previous = this.panel.getByRole('link', { name: 'Previous' });
    this.close = this.panel.getByRole('link', { name: 'Close' });
  }
}
