import type { Locator, Page } from '@playwright/test';
import { Frame } from './frame';

/** How often recall finds nothing. */
export class HealthPage extends Frame {
  readonly tiles;
  readonly chart;
  readonly items;
  readonly period;
  readonly agent;
  readonly topic;
  readonly cause;
  readonly expected;
  readonly apply;
  readonly clear;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.tiles = page.getByTestId('tiles');
    this.chart = page.getByRole('img', { name: /recalls? found nothing/ });
    this.items = page.getByTestId('zero-hit');
    this.period = page.getByRole('combobox', { name: 'Period' });
    this.agent = page.getByRole('combobox', { name: 'Agent', exact: true });
    this.topic = page.getByLabel('Topic');
    this.cause = page.getByRole('combobox', { name: 'Cause' });
    this.expected = page.getByRole('combobox', { name: 'Expected by the agent' });
    this.apply = page.getByRole('button', { name: 'Apply filters' });
    this.clear = page.getByRole('link', { name: 'Clear', exact: true });
  }

  /** The number of the tile with this name. */
  tile(name: 'Recalls' | 'Zero-hit rate' | 'Expected zero hits'): Locator {
    return this.tiles.locator('dt').filter({ hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');
  }

  /** What asked this. */
  item(query: string): Locator {
    return this.items.filter({ has: this.page.getByRole('heading', { name: query, exact: true }) });
  }

  /** A line of one of the tables of bars. */
  line(by: 'cause' | 'agent' | 'topic', name: string): Locator {
    return this.page.getByTestId(`by-${by}`).getByRole('link', { name, exact: true });
  }
}

/** A recall that leaves no trace. */
export class PlaygroundPage extends Frame {
  readonly agent;
  readonly question;
  readonly k;
  readonly user;
  readonly ask;
  readonly words;
  readonly timings;
  readonly candidates;
  readonly silent;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.agent = page.getByRole('combobox', { name: 'Agent', exact: true });
    this.question = page.getByRole('searchbox', { name: 'Question' });
    this.k = page.getByLabel('Hits, at most');
    this.user = page.getByLabel('On behalf of a user');
    this.ask = page.getByRole('button', { name: 'Recall', exact: true });
    this.words = page.getByTestId('words');
    this.timings = page.getByTestId('timings').getByRole('listitem');
    this.candidates = page.getByTestId('candidate');
    this.silent = page.getByTestId('silent');
  }

  candidate(label: string | RegExp): Locator {
    return this.candidates.filter({ has: this.page.getByRole('link', { name: label }) });
  }

  /** What the vocabulary did, by its name. */
  word(name: string): Locator {
    return this.words.locator('dt').filter({ hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');
  }
}
