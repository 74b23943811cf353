import type { Page } from '@playwright/test';
import { Frame } from './frame';

export class PromptsPage extends Frame {
  readonly prompts;
  readonly titles;
  readonly texts;
  readonly copy;

  constructor(page: Page, scripted: boolean) {
    super(page, scripted);
    this.prompts = page.getByTestId('prompt');
    this.titles = this.prompts.getByRole('heading', { level: 2 });
    this.texts = this.prompts.getByTestId('text');
    this.copy = this.prompts.getByRole('button', { name: /^(Copy|Copied)$/ });
  }
}
