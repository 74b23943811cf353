import type { Locator, Page } from '@playwright/test';
import { Frame } from './frame';

/** The list of documents. */
export class KnowledgePage extends Frame {
  readonly rows;
  readonly question;
  readonly kind;
  readonly status;
  readonly state;
  readonly apply;
  readonly clear;
  readonly tabs;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.rows = page.getByTestId('document');
    this.question = page.getByRole('searchbox', { name: 'Title, reference or path' });
    this.kind = page.getByRole('combobox', { name: 'Kind' });
    this.status = page.getByLabel('Status');
    this.state = page.getByRole('combobox', { name: 'State' });
    this.apply = page.getByRole('button', { name: 'Apply filters' });
    this.clear = page.getByRole('link', { name: 'Clear', exact: true });
    this.tabs = page.getByRole('navigation', { name: 'Knowledge' });
  }

  row(title: string): Locator {
    return this.rows.filter({ has: this.title(title) });
  }

  /** The link that leads to the document. */
  title(title: string): Locator {
    return this.page.getByRole('link', { name: title, exact: true });
  }

  tab(name: 'Documents' | 'Ingestions' | 'Topology'): Locator {
    return this.tabs.getByRole('link', { name });
  }
}

/** One document. */
export class DocumentPage extends Frame {
  readonly chunks;
  readonly frontMatter;
  readonly facts;
  readonly versions;
  readonly citations;
  readonly retired;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.chunks = page.getByTestId('chunk');
    this.frontMatter = page.getByTestId('front-matter');
    this.facts = page.getByRole('region', { name: 'Facts' });
    this.versions = page.getByTestId('versions').getByRole('listitem');
    this.citations = page.getByTestId('citation');
    this.retired = page.getByTestId('retired');
  }
}

/** What was ingested, and when. */
export class RunsPage extends Frame {
  readonly rows;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.rows = page.getByTestId('run');
  }

  row(collection: string): Locator {
    return this.rows.filter({ has: this.page.getByText(collection, { exact: true }) });
  }
}

/** The drawing of the components, and the table that says the same. */
export class TopologyPage extends Frame {
  readonly drawing;
  readonly rows;
  readonly focus;
  readonly showAll;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.drawing = page.getByTestId('drawing');
    this.rows = page.getByTestId('component');
    this.focus = page.getByTestId('focus');
    this.showAll = page.getByRole('link', { name: 'Show all' });
  }

  row(name: string): Locator {
    return this.rows.filter({ has: this.page.locator('td').first().getByRole('link', { name, exact: true }) });
  }

  /** The box of a component. */
  box(name: string): Locator {
    return this.drawing.getByRole('link', { name, exact: true });
  }
}
