import { Frame } from './frame';

export class PromptsPage extends Frame {
  readonly prompts = this.page.getByTestId('prompt');
  readonly titles = this.prompts.getByRole('heading', { level: 2 });
  readonly texts = this.prompts.getByTestId('text');
  readonly copy = this.prompts.getByRole('button', { name: /^(Copy|Copied)$/ });
}
