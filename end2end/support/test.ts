import { test as base, expect, type Browser, type BrowserContextOptions } from '@playwright/test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pages, type Pages } from '../pages';
import { SignInPage } from '../pages/sign-in';
import { Agent } from './agent';
import { credentials, environment, type Login, type Who } from './environment';
import { Gate } from './gate';

interface TestFixtures extends Pages {
  gate: Gate;
  /** An agent that only this test writes as: equal content would be one memory. */
  agent: Agent;
}

interface WorkerFixtures {
  /** The file with the cookies of an operator who is signed in. */
  session: string;
  /** The same for somebody who may only look. */
  viewerSession: string;
  /** The same for somebody whose organisation has no data. */
  newcomerSession: string;
}

/** The storage of somebody who is not signed in. */
export const SIGNED_OUT = { cookies: [], origins: [] };

export const test = base.extend<TestFixtures, WorkerFixtures>({
  session: [async ({ browser }, use, info) => use(await signedIn(browser, 'operator', info.parallelIndex)), { scope: 'worker' }],
  viewerSession: [async ({ browser }, use, info) => use(await signedIn(browser, 'viewer', info.parallelIndex)), { scope: 'worker' }],
  newcomerSession: [async ({ browser }, use, info) => use(await signedIn(browser, 'newcomer', info.parallelIndex)), { scope: 'worker' }],
  // eslint-disable-next-line no-empty-pattern
  agent: async ({}, use) => use(Agent.create()),

  storageState: async ({ session }, use) => use(session),
  gate: [
    async ({ context, javaScriptEnabled }, use) => {
      const gate = new Gate(javaScriptEnabled ?? true);
      gate.watch(context);
      await use(gate);
      expect(gate.problems(), 'the browser reports no problem').toEqual([]);
    },
    { auto: true },
  ],
  ...pages,
});

/**
 * Signs in through the form, once for each of the two workers: attempts are limited, and a failed test replaces its worker by another.
 */
async function signedIn(browser: Browser, who: Who, worker: number): Promise<string> {
  const file = join(environment.credentials, `session-${who}-${worker}.json`);
  if (!existsSync(file)) {
    // Signed out: otherwise the context inherits the cookies of the test, and signing in would end their session.
    const context = await browser.newContext({ baseURL: environment.baseURL, storageState: SIGNED_OUT });
    await enter(new SignInPage(await context.newPage(), true), credentials(who));
    await context.storageState({ path: file });
    await context.close();
  }
  return file;
}

/** Signs in through the form. */
export async function enter(signIn: SignInPage, login: Login): Promise<void> {
  await signIn.goto('/sign-in');
  await signIn.enter(login);
  await expect(signIn.page).toHaveURL('/');
}

/** Opens a second browser beside the test's own, under the same gate. */
export async function another(browser: Browser, gate: Gate, options: BrowserContextOptions = {}): Promise<SignInPage> {
  const context = await browser.newContext({ baseURL: environment.baseURL, ...options });
  gate.watch(context);
  return new SignInPage(await context.newPage(), options.javaScriptEnabled ?? true);
}

export { expect };
