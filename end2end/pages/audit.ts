import { FilteredPage } from './frame';

export class AuditPage extends FilteredPage {
  readonly entries = this.page.getByTestId('entry');
  readonly chain = this.page.getByTestId('chain');
  readonly actor = this.page.getByLabel('Actor');
  readonly action = this.page.getByLabel('Action', { exact: true });
  readonly target = this.page.getByLabel('About');
  readonly from = this.page.getByLabel('From');
  readonly until = this.page.getByLabel('Until');
  readonly older = this.page.getByRole('link', { name: 'Older' });
  readonly newer = this.page.getByRole('link', { name: 'Newer' });
}
