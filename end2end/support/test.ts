import { test as base, expect, type Browser, type BrowserContextOptions } from '@playwright/test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AgentsPage } from '../pages/agents';
import { AuditPage } from '../pages/audit';
import { DecidePage } from '../pages/decide';
import { DecisionsPage } from '../pages/decisions';
import { DeletePage } from '../pages/delete';
import { Frame } from '../pages/frame';
import { DocumentPage, KnowledgePage, RunsPage, TopologyPage } from '../pages/knowledge';
import { MemoriesPage } from '../pages/memories';
import { MemoryPage } from '../pages/memory';
import { HealthPage, LogPage, PlaygroundPage, RetrievalPage } from '../pages/recall';
import { OverviewPage } from '../pages/overview';
import { PromptsPage } from '../pages/prompts';
import { SignInPage } from '../pages/sign-in';
import { TermPage } from '../pages/term';
import { TermsPage } from '../pages/terms';
import { VocabularyPage } from '../pages/vocabulary';
import { Agent } from './agent';
import { credentials, environment, type Login } from './environment';
import { Gate } from './gate';

interface Fixtures {
  gate: Gate;
  frame: Frame;
  signIn: SignInPage;
  agents: AgentsPage;
  memories: MemoriesPage;
  memory: MemoryPage;
  deletion: DeletePage;
  audit: AuditPage;
  knowledge: KnowledgePage;
  document: DocumentPage;
  runs: RunsPage;
  topology: TopologyPage;
  health: HealthPage;
  playground: PlaygroundPage;
  recalls: LogPage;
  retrieval: RetrievalPage;
  overview: OverviewPage;
  vocabulary: VocabularyPage;
  decide: DecidePage;
  decisions: DecisionsPage;
  terms: TermsPage;
  term: TermPage;
  prompts: PromptsPage;
}

interface WorkerFixtures {
  /** The file with the cookies of an operator who is signed in. */
  session: string;
  /** The same for somebody who may only look. */
  viewerSession: string;
  /** Nobody else writes as this agent. */
  agent: Agent;
}

/** Cookies of nobody. */
export const SIGNED_OUT = { cookies: [], origins: [] };

export const test = base.extend<Fixtures, WorkerFixtures>({
  session: [async ({ browser }, use, info) => use(await signedIn(browser, 'operator', info.parallelIndex)), { scope: 'worker' }],
  viewerSession: [async ({ browser }, use, info) => use(await signedIn(browser, 'viewer', info.parallelIndex)), { scope: 'worker' }],
  // eslint-disable-next-line no-empty-pattern
  agent: [async ({}, use) => use(Agent.create()), { scope: 'worker' }],

  storageState: async ({ session }, use) => use(session),
  gate: [
    async ({ context, javaScriptEnabled }, use) => {
      const gate = new Gate(javaScriptEnabled ?? true);
      gate.watch(context);
      await use(gate);
      expect(gate.problems(), 'the browser has nothing to complain about').toEqual([]);
    },
    { auto: true },
  ],
  frame: async ({ page, javaScriptEnabled }, use) => use(new Frame(page, javaScriptEnabled ?? true)),
  signIn: async ({ page, javaScriptEnabled }, use) => use(new SignInPage(page, javaScriptEnabled ?? true)),
  agents: async ({ page, javaScriptEnabled }, use) => use(new AgentsPage(page, javaScriptEnabled ?? true)),
  memories: async ({ page, javaScriptEnabled }, use) => use(new MemoriesPage(page, javaScriptEnabled ?? true)),
  memory: async ({ page, javaScriptEnabled }, use) => use(new MemoryPage(page, javaScriptEnabled ?? true)),
  deletion: async ({ page, javaScriptEnabled }, use) => use(new DeletePage(page, javaScriptEnabled ?? true)),
  audit: async ({ page, javaScriptEnabled }, use) => use(new AuditPage(page, javaScriptEnabled ?? true)),
  knowledge: async ({ page, javaScriptEnabled }, use) => use(new KnowledgePage(page, javaScriptEnabled ?? true)),
  document: async ({ page, javaScriptEnabled }, use) => use(new DocumentPage(page, javaScriptEnabled ?? true)),
  runs: async ({ page, javaScriptEnabled }, use) => use(new RunsPage(page, javaScriptEnabled ?? true)),
  topology: async ({ page, javaScriptEnabled }, use) => use(new TopologyPage(page, javaScriptEnabled ?? true)),
  health: async ({ page, javaScriptEnabled }, use) => use(new HealthPage(page, javaScriptEnabled ?? true)),
  playground: async ({ page, javaScriptEnabled }, use) => use(new PlaygroundPage(page, javaScriptEnabled ?? true)),
  recalls: async ({ page, javaScriptEnabled }, use) => use(new LogPage(page, javaScriptEnabled ?? true)),
  retrieval: async ({ page, javaScriptEnabled }, use) => use(new RetrievalPage(page, javaScriptEnabled ?? true)),
  overview: async ({ page, javaScriptEnabled }, use) => use(new OverviewPage(page, javaScriptEnabled ?? true)),
  vocabulary: async ({ page, javaScriptEnabled }, use) => use(new VocabularyPage(page, javaScriptEnabled ?? true)),
  decide: async ({ page, javaScriptEnabled }, use) => use(new DecidePage(page, javaScriptEnabled ?? true)),
  decisions: async ({ page, javaScriptEnabled }, use) => use(new DecisionsPage(page, javaScriptEnabled ?? true)),
  terms: async ({ page, javaScriptEnabled }, use) => use(new TermsPage(page, javaScriptEnabled ?? true)),
  term: async ({ page, javaScriptEnabled }, use) => use(new TermPage(page, javaScriptEnabled ?? true)),
  prompts: async ({ page, javaScriptEnabled }, use) => use(new PromptsPage(page, javaScriptEnabled ?? true)),
});

/**
 * Signs in through the form, once for each of the two workers: attempts are limited, and a worker that a failed test has ended is
 * followed by another one in its place.
 */
async function signedIn(browser: Browser, who: 'operator' | 'viewer', worker: number): Promise<string> {
  const file = join(environment.credentials, `session-${who}-${worker}.json`);
  if (!existsSync(file)) {
    // Of nobody: a context inherits the test's cookies otherwise, and signing in would end the session that they belong to.
    const context = await browser.newContext({ baseURL: environment.baseURL, storageState: SIGNED_OUT });
    await enter(new SignInPage(await context.newPage(), true), credentials(who));
    await context.storageState({ path: file });
    await context.close();
  }
  return file;
}

/** From the form to the first page. */
export async function enter(signIn: SignInPage, login: Login): Promise<void> {
  await signIn.goto('/sign-in');
  await signIn.enter(login);
  await expect(signIn.page).toHaveURL('/');
}

/** A second browser beside the test's own, under the same gate. */
export async function another(browser: Browser, gate: Gate, options: BrowserContextOptions = {}): Promise<SignInPage> {
  const context = await browser.newContext({ baseURL: environment.baseURL, ...options });
  gate.watch(context);
  return new SignInPage(await context.newPage(), options.javaScriptEnabled ?? true);
}

export { expect };
