import { expect, type Locator, type Page, type Response } from '@playwright/test';

/** The parts that all pages share. */
export class Frame {
  readonly main: Locator;
  readonly heading: Locator;
  readonly total: Locator;
  readonly empty: Locator;
  readonly error: Locator;
  /** The message about the last form. */
  readonly flash: Locator;
  readonly dismissFlash: Locator;
  readonly menu: Locator;
  /** Name and organisation of the operator, and the menu with roles, time zone, theme and the way out. */
  readonly account: Locator;
  /** In which zone the page shows times. */
  readonly zone: Locator;
  /** The link to the search page, which opens the menu where JavaScript runs. */
  readonly searchLink: Locator;
  readonly goTo: GoTo;
  /** The dialog with the keys of the page. */
  readonly shortcuts: Locator;

  constructor(
    readonly page: Page,
    /** Whether the browser runs JavaScript. */
    readonly scripted: boolean,
  ) {
    this.main = page.getByRole('main');
    this.heading = page.getByRole('heading', { level: 1 });
    this.total = page.getByTestId('total');
    this.empty = page.getByTestId('empty');
    this.error = page.getByTestId('error');
    this.flash = page.getByTestId('flash');
    this.account = page.getByTestId('account').filter({ visible: true });
    this.dismissFlash = this.flash.getByRole('link', { name: 'Dismiss' });
    this.zone = page.getByTestId('zone').filter({ visible: true });
    this.searchLink = page.getByRole('banner').getByRole('link', { name: 'Search', exact: true }).filter({ visible: true });
    this.goTo = new GoTo(page);
    this.shortcuts = page.getByTestId('keys');
    this.menu = page.getByText('Menu', { exact: true });
  }

  /** Opens a page and waits until it is hydrated: clicks before that do nothing. */
  async goto(path: string): Promise<Response> {
    const response = await this.page.goto(path);
    if (!response) throw new Error(`${path} gave no response`);
    await this.ready();
    return response;
  }

  /** Opens a page again and again until `holds`: some of what the server does becomes visible a moment after its answer. */
  async gotoUntil(path: string, holds: () => Promise<void>): Promise<void> {
    await expect(async () => {
      await this.goto(path);
      await holds();
    }).toPass();
  }

  /** Waits until the page is hydrated and shows what was asked for. */
  async ready(): Promise<void> {
    if (this.scripted) await expect(this.page.locator('html')).toHaveAttribute('data-hydrated', '');
    await expect(this.page.locator('[aria-busy=true]')).toHaveCount(0);
  }

  /** Opens the menu of the account, where it is closed; on a phone the menu that it is in, too. */
  async openAccount(): Promise<void> {
    if ((await this.account.count()) === 0) await this.menu.click();
    if ((await this.account.getAttribute('open')) === null) await this.account.locator('summary').click();
  }

  /** Clicks a button that sends a form, and waits for the next page. */
  async send(button: Locator): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await button.click();
    await loaded;
    await this.ready();
  }

  /** The query of the address. It changes a moment after a click, so poll for it. */
  query(): Record<string, string> {
    return Object.fromEntries(new URL(this.page.url()).searchParams);
  }

  theme(name: 'System' | 'Light' | 'Dark'): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  signOut(): Locator {
    return this.page.getByRole('button', { name: 'Sign out' });
  }

  /** The value beside a name in a list of names and values. */
  protected valueOf(list: Locator, name: string): Locator {
    return list.locator('dt').filter({ hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');
  }

  /** The rows of tables that show more or fewer columns than their head. */
  async uneven(): Promise<string[]> {
    return this.main.evaluate((main) => {
      const shown = (row: HTMLTableRowElement) =>
        [...row.cells].filter((cell) => getComputedStyle(cell).display !== 'none').reduce((sum, cell) => sum + cell.colSpan, 0);
      return [...main.querySelectorAll('table')].flatMap(({ rows: [head, ...rows] }) =>
        rows.filter((row) => head && shown(row) !== shown(head)).map((row) => row.innerText),
      );
    });
  }

  /** How far the page is wider than its window, in pixels. */
  async overflow(): Promise<number> {
    const width = this.page.viewportSize()?.width ?? 0;
    return this.page.evaluate((width) => Math.max(0, document.documentElement.scrollWidth - width), width);
  }
}

/** The menu that `Ctrl K` opens. */
export class GoTo {
  readonly dialog: Locator;
  readonly field: Locator;
  readonly options: Locator;
  /** The option that Enter opens. */
  readonly chosen: Locator;

  constructor(private readonly page: Page) {
    this.dialog = page.getByTestId('go-to');
    this.field = this.dialog.getByRole('combobox', { name: 'Name, topic or short id' });
    this.options = this.dialog.getByRole('option');
    this.chosen = this.dialog.getByRole('option', { selected: true });
  }

  /** The option of this kind with this name. */
  option(kind: string, name: string): Locator {
    return this.options.filter({ has: this.page.getByText(kind, { exact: true }) }).filter({ hasText: name });
  }
}

/** A page with a form of filters above its list. */
export class FilteredPage extends Frame {
  readonly apply = this.page.getByRole('button', { name: 'Apply filters' });
  readonly clear: Locator = this.page.getByRole('link', { name: 'Clear', exact: true });
}
