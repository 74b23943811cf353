import type { Locator } from '@playwright/test';
import { FilteredPage, Frame } from './frame';

/** The list of documents. */
export class KnowledgePage extends FilteredPage {
  readonly rows = this.page.getByTestId('document');
  readonly question = this.page.getByRole('searchbox', { name: 'Title, reference or path' });
  readonly kind = this.page.getByRole('combobox', { name: 'Kind' });
  readonly status = this.page.getByLabel('Status');
  readonly state = this.page.getByRole('combobox', { name: 'State' });
  readonly tabs = this.page.getByRole('navigation', { name: 'Knowledge' });

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
  readonly chunks = this.page.getByTestId('chunk');
  readonly frontMatter = this.page.getByTestId('front-matter');
  readonly facts = this.page.getByRole('region', { name: 'Facts' });
  readonly versions = this.page.getByTestId('versions').getByRole('listitem');
  readonly citations = this.page.getByTestId('citation');
  readonly retired = this.page.getByTestId('retired');
}

/** The form that uploads documents. */
export class UploadPage extends Frame {
  readonly collection = this.page.getByRole('combobox', { name: 'Collection' });
  readonly files = this.page.getByLabel('Files');
  readonly text = this.page.getByRole('textbox', { name: 'Or a text' });
  readonly name = this.page.getByRole('textbox', { name: 'File name of the text' });
  readonly submit = this.page.getByRole('button', { name: 'Upload documents' });
  readonly results = this.page.getByTestId('uploaded');

  async paste(collection: string, name: string, text: string): Promise<void> {
    await this.collection.fill(collection);
    await this.name.fill(name);
    await this.text.fill(text);
    await this.send(this.submit);
  }
}

/** What was ingested, and when. */
export class RunsPage extends Frame {
  readonly rows = this.page.getByTestId('run');

  row(collection: string): Locator {
    return this.rows.filter({ has: this.page.getByText(collection, { exact: true }) });
  }
}

/** The drawing of the components, and the table that says the same. */
export class TopologyPage extends Frame {
  readonly drawing = this.page.getByTestId('drawing');
  readonly rows = this.page.getByTestId('component');
  readonly focus = this.page.getByTestId('focus');
  readonly showAll = this.page.getByRole('link', { name: 'Show all' });

  /** The row whose own name this is. Until the style sheet is there, a narrow screen's links to its neighbours show in the same cell. */
  row(name: string): Locator {
    return this.rows.filter({ has: this.page.locator('td:first-child > a', { hasText: name }) });
  }

  /** The box of a component. */
  box(name: string): Locator {
    return this.drawing.getByRole('link', { name, exact: true });
  }
}
