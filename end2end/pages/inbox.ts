import { expect, type Locator, type Page } from '@playwright/test';
import type { Agent } from '../support/agent';
import { FilteredPage, Frame } from './frame';

/** The inbox with its panel. */
export class InboxPage extends FilteredPage {
  readonly rows = this.page.getByTestId('candidate');
  readonly statements = this.rows.getByRole('link');
  readonly text = this.page.getByLabel('Statement or topic contains');
  readonly kind = this.page.getByRole('combobox', { name: 'Kind' });
  readonly disputed = this.page.getByRole('combobox', { name: 'Disputed' });
  readonly selectAll = this.page.getByRole('checkbox', { name: 'Select all on this page' });
  readonly confirmSelected = this.page.getByRole('button', { name: /^Confirm (selected|\d+)…$/ });
  readonly rejectSelected = this.page.getByRole('button', { name: /^Reject (selected|\d+)…$/ });
  readonly focus = new Focus(this.page);
  /** In the message about what was done. */
  readonly undo = this.flash.getByRole('button', { name: 'Undo' });

  tab(name: 'Candidates' | 'Suggestions' | 'Quarantine' | 'Shared memories'): Locator {
    return this.page.getByRole('navigation', { name: 'Review' }).getByRole('link', { name: new RegExp(`^${name}`) });
  }

  row(text: string): Locator {
    return this.rows.filter({ hasText: text });
  }

  /** The box that selects a candidate with this text. */
  select(text: string): Locator {
    return this.row(text).getByRole('checkbox');
  }

  /** The inbox with this agent's candidates, narrowed by `filters`. */
  address(agent: Agent, filters: Record<string, string> = {}): string {
    return `/inbox?${new URLSearchParams({ agent: agent.id, ...filters })}`;
  }

  /** Opens the inbox until so many candidates of an agent contain `q`: events are processed a moment after they are accepted. */
  async openWith(agent: Agent, q: string, count: number): Promise<void> {
    await this.gotoUntil(this.address(agent, { q }), async () => expect(await this.rows.count()).toBe(count));
  }

  /** The only candidate that contains `q`, in the panel. */
  async open(agent: Agent, q: string): Promise<void> {
    await this.openWith(agent, q, 1);
    await this.statements.first().click();
    await expect(this.focus.statement).toContainText(q);
  }
}

/** The panel beside the inbox. */
export class Focus {
  readonly panel;
  readonly statement;
  /** Who said it when, if it is a quotation. */
  readonly minutes;
  readonly facts;
  readonly quotes;
  readonly pairs;
  readonly confirm;
  readonly adjust;
  readonly content;
  readonly kind;
  readonly topic;
  readonly scope;
  readonly project;
  readonly reason;
  readonly reject;
  readonly merge;
  readonly accept;
  readonly decline;
  readonly decided;
  readonly changed;
  readonly next;
  readonly previous;
  readonly close;

  constructor(page: Page) {
    this.panel = page.getByTestId('focus');
    this.statement = this.panel.getByRole('heading', { level: 2 });
    this.minutes = this.panel.getByTestId('minutes');
    this.facts = this.panel.getByTestId('facts');
    this.quotes = this.panel.getByTestId('quote');
    this.pairs = this.panel.getByTestId('pair');
    this.confirm = this.panel.getByRole('button', { name: 'Confirm' });
    this.adjust = this.panel.getByText('Edit before confirming…', { exact: true });
    this.content = this.panel.getByRole('textbox', { name: 'Statement' });
    this.kind = this.panel.getByRole('combobox', { name: 'Kind' });
    this.topic = this.panel.getByRole('combobox', { name: 'Topic' });
    this.scope = this.panel.getByRole('combobox', { name: 'Scope' });
    this.project = this.panel.getByRole('combobox', { name: 'Project' });
    this.reason = this.panel.getByRole('textbox', { name: 'Reason for rejection' });
    this.reject = this.panel.getByRole('button', { name: 'Reject' });
    this.merge = this.panel.getByRole('button', { name: 'Merge into memory' });
    this.accept = this.panel.getByRole('button', { name: /^Accept / });
    this.decline = this.panel.getByRole('button', { name: 'Decline' });
    this.decided = this.panel.getByTestId('decided');
    this.changed = this.panel.getByTestId('changed');
    this.next = this.panel.getByRole('link', { name: 'Next' });
    this.previous = this.panel.getByRole('link', { name: 'Previous' });
    this.close = this.panel.getByRole('link', { name: 'Close' });
  }
}

/** The step before several candidates are decided. */
export class CandidatesPage extends Frame {
  readonly question = this.page.getByTestId('count');
  readonly rows = this.page.getByTestId('candidate');
  readonly effect = this.page.getByTestId('effect').getByRole('listitem');
  readonly reason = this.page.getByRole('textbox', { name: 'Reason' });
  readonly confirm = this.page.getByRole('button', { name: /^(Confirm|Reject) \d/ });
  readonly cancel = this.page.getByRole('link', { name: 'Cancel' });
}

/** The turns that are kept from extraction. */
export class QuarantinePage extends Frame {
  readonly turns = this.page.getByTestId('quarantined');
  readonly undo = this.flash.getByRole('button', { name: 'Undo' });

  turn(text: string): Locator {
    return this.turns.filter({ hasText: text });
  }

  release(text: string): Locator {
    return this.turn(text).getByRole('button', { name: 'Release for extraction' });
  }

  dismiss(text: string): Locator {
    return this.turn(text).getByRole('button', { name: 'Dismiss' });
  }
}

/** What becomes a memory without review. */
export class PolicyPage extends Frame {
  readonly decisions = this.page.getByRole('combobox', { name: 'Decisions' });
  readonly confidence = this.page.getByRole('spinbutton', { name: 'Minimum confidence, in percent' });
  readonly outside = this.page.getByRole('checkbox', { name: /^Send text to outside models/ });
  readonly save = this.page.getByRole('button', { name: 'Save policy' });
  /** The policy as people read it who may not change it. */
  readonly shown = this.page.getByTestId('policy');
}
