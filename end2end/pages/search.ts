import { Frame } from './frame';

/** The page that finds anything by its name. */
export class SearchPage extends Frame {
  readonly field = this.page.getByRole('searchbox', { name: 'Search everything' });
  readonly search = this.page.getByRole('main').getByRole('button', { name: 'Search' });
  readonly places = this.page.getByTestId('place');
}
