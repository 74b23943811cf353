import type { TileName } from '../pages/overview';
import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('the name of the product links to the front page', { tag: ['@phone', '@no-js'] }, async ({ overview, page }) => {
  await overview.goto('/audit');
  await page.getByRole('link', { name: 'Remembrancer', exact: true }).filter({ visible: true }).click();
  await expect(page).toHaveURL('/');
  await expect(overview.heading).toHaveText('Overview');
  await expect(page).toHaveTitle('Overview · Remembrancer');
  await expect(overview.tiles).toHaveCount(11);
});

for (const [name, href] of Object.entries({
  Agents: '/agents',
  Memories: '/memories',
  Proposals: '/vocabulary',
  Terms: '/vocabulary/terms',
  'Recalls that found nothing': '/recall',
  Documents: '/knowledge',
  Outbox: '/audit',
  Inbox: '/inbox',
  Quarantine: '/inbox/quarantine',
  Events: '/events',
  'Dead events': '/events?state=dead',
} satisfies Record<TileName, string>)) {
  test(`the tile of ${name} links to ${href}`, async ({ overview, page }) => {
    await overview.goto('/');
    await overview.tile(name as TileName).click();
    await expect(page).toHaveURL(href);
    await expect(overview.error).toHaveCount(0);
  });
}

test('the numbers agree with those of the pages', { tag: '@no-js' }, async ({ overview, agents, terms }) => {
  await overview.goto('/');
  const [known, used] = [await overview.number('Agents'), await overview.number('Terms')];
  await agents.goto('/agents');
  // Other tests make agents and terms meanwhile, and take none away for good.
  expect(Number((await agents.total.innerText()).split(' ')[0]?.replaceAll(',', ''))).toBeGreaterThanOrEqual(known);
  await terms.goto('/vocabulary/terms?q=terraform');
  await expect(terms.rows).not.toHaveCount(0);
  expect(used).toBeGreaterThan(5);
});

test('the tiles count what an agent remembers', { tag: '@no-js' }, async ({ overview, agent }) => {
  await agent.remember({ topic_raw: unique('barometer'), content: 'It falls before the storm.' });
  await overview.gotoUntil('/', async () => expect(await overview.number('Proposals')).toBeGreaterThan(0));
  expect(await overview.number('Memories')).toBeGreaterThan(0);
  await expect(overview.tile('Memories')).toContainText(/[1-9][\d,]* new this week/);
});

test('recalls that found nothing are counted, and those that were expected to find something', { tag: ['@phone', '@no-js'] }, async ({ overview }) => {
  const { zero_hit } = await Agent.create().ask('chess in Reykjavik', { expected: true });
  expect(zero_hit).toBe(true);
  // Logged behind the answer.
  await overview.gotoUntil('/', async () => expect(await overview.tile('Recalls that found nothing').innerText()).toMatch(/[\d,]+ of [\d,]+ that should have known found nothing/));
  await expect(overview.value('Recalls that found nothing')).toHaveText(/^\d+(\.\d)? %$/);
  await expect(overview.tile('Recalls that found nothing')).toContainText(/[\d,]+ of [\d,]+ recalls? in 7 days found nothing/);
  await expect(overview.chart).toBeVisible();
});

test('the outbox tile shows what waits and for how long', { tag: '@no-js' }, async ({ overview }) => {
  await overview.goto('/');
  await expect(overview.tile('Outbox')).toContainText(/Everything is delivered|The oldest has waited \d+ (s|min)/);
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('sees the front page', async ({ overview }) => {
    await overview.goto('/');
    await expect(overview.tiles).toHaveCount(11);
  });
});
