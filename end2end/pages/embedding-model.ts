import { Frame } from './frame';
import type { Locator } from '@playwright/test';

/** The embedding models of the server, and how many texts of the organisation have a vector of each. */
export class EmbeddingModelPage extends Frame {
  readonly summary = this.page.getByTestId('summary');
  readonly models = this.page.getByTestId('model');
  readonly commands = this.page.getByTestId('commands');

  /** The bars of a model, one for each kind of text. */
  progressOf(model: Locator): Locator {
    return model.getByTestId('progress');
  }
}
