import type { BrowserContext, Page } from '@playwright/test';

/**
 * Collects the problems that a browser reports. A test fails for each that it did not announce: hydration bugs, broken assets and
 * violations of the content security policy show first as errors in the console.
 */
export class Gate {
  private readonly seen: { status: number | null; what: string }[] = [];
  private readonly allowed = new Set<number>();

  constructor(private readonly scripted: boolean) {}

  /** Allows answers with this status. */
  expect(status: number): void {
    this.allowed.add(status);
  }

  watch(context: BrowserContext): void {
    context.on('console', (message) => {
      if (message.type() !== 'error') return;
      const status = /status of (\d{3})/.exec(message.text())?.[1];
      this.note(`console: ${message.text()} (${message.location().url})`, status ? Number(status) : null);
    });
    context.on('weberror', (error) => this.note(`error: ${error.error().message}`));
    context.on('response', (response) => {
      if (response.status() >= 400) this.note(`${response.status()} for ${response.request().method()} ${response.url()}`, response.status());
    });
    context.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? 'unknown';
      // Leaving a page aborts its requests, and a browser without JavaScript does not load scripts.
      const usual = why === 'net::ERR_ABORTED' || (!this.scripted && request.resourceType() === 'script');
      if (!usual) this.note(`${why} for ${request.method()} ${request.url()}`);
    });
    context.on('page', (page: Page) => page.on('crash', () => this.note('the page crashed')));
  }

  problems(): string[] {
    return this.seen.filter(({ status }) => status === null || !this.allowed.has(status)).map(({ what }) => what);
  }

  private note(what: string, status: number | null = null): void {
    this.seen.push({ status, what });
  }
}
