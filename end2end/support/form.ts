import type { BrowserContext, Page } from '@playwright/test';
import { createHmac } from 'node:crypto';

/** The token of the form that posts to `path` in the session of a browser, as the server makes it. */
async function tokenOf(context: BrowserContext, path: string): Promise<string> {
  const cookies = await context.cookies();
  const session = cookies.find(({ name }) => name === 'rmb')?.value ?? '';
  return createHmac('sha256', Buffer.from(session, 'base64url')).update(`form ${path}`).digest('hex');
}

/** Sends a form that no page shows, from the page that is open: as its own with the token of the session. Returns the status. */
export async function sendByHand(page: Page, path: string, fields: Record<string, string>): Promise<number> {
  const all = { form_token: await tokenOf(page.context(), path), ...fields };
  return page.evaluate(
    async ([path, all]) => {
      const body = new URLSearchParams(all);
      return (await fetch(path, { method: 'POST', body, headers: { Accept: 'application/json' } })).status;
    },
    [path, all] as const,
  );
}
