import type { Locator } from '@playwright/test';
import { Frame } from './frame';

/** The list of projects, and the page of one. */
export class ProjectsPage extends Frame {
  readonly rows = this.page.getByTestId('project');
  readonly repos = this.page.getByTestId('repo');
  readonly linked = this.page.getByTestId('linked');
  readonly slug = this.page.getByRole('textbox', { name: 'Slug' });
  readonly name = this.page.getByRole('textbox', { name: 'Name' });
  readonly other = this.page.getByRole('combobox', { name: 'Link to' });
  readonly link = this.page.getByRole('button', { name: 'Link projects' });

  row(slug: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('link', { name: slug, exact: true }) });
  }

  async create(slug: string, name: string): Promise<void> {
    await this.slug.fill(slug);
    await this.name.fill(name);
    await this.send(this.page.getByRole('button', { name: 'Create project' }));
  }

  async createRepo(slug: string): Promise<void> {
    await this.slug.fill(slug);
    await this.send(this.page.getByRole('button', { name: 'Create repository' }));
  }
}
