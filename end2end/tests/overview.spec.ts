import type { TileName, TotalName } from '../pages/overview';
import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('the name of the product links to the front page', { tag: ['@phone', '@no-js'] }, async ({ overview, page }) => {
  await overview.goto('/audit');
  await page.getByRole('link', { name: 'Remembrancer', exact: true }).filter({ visible: true }).click();
  await expect(page).toHaveURL('/');
  await expect(overview.heading).toHaveText('Overview');
  await expect(page).toHaveTitle('Overview · Remembrancer');
  await expect(overview.tiles).toHaveCount(4);
  await expect(overview.totals).toHaveCount(5);
});

for (const [name, href] of Object.entries({
  'Memories stored': '/memories',
  Recalls: '/recall?days=1',
  'Recalls that found nothing': '/recall?days=1',
  'Contexts assembled': '/recall/contexts',
} satisfies Record<TileName, string>)) {
  test(`the tile of ${name} links to ${href}`, async ({ overview, page }) => {
    await overview.goto('/');
    await overview.tile(name as TileName).click();
    await expect(page).toHaveURL(href);
    await expect(overview.error).toHaveCount(0);
  });
}

for (const [name, href] of Object.entries({
  Agents: '/agents',
  Memories: '/memories',
  Terms: '/vocabulary/terms',
  Documents: '/knowledge',
  'Profiles of people': '/people',
} satisfies Record<TotalName, string>)) {
  test(`the total of ${name} links to ${href}`, async ({ overview, page }) => {
    await overview.goto('/');
    await overview.totalOf(name as TotalName).click();
    await expect(page).toHaveURL(href);
    await expect(overview.error).toHaveCount(0);
  });
}

test('the numbers agree with those of the pages', { tag: '@no-js' }, async ({ overview, agents, terms }) => {
  await overview.goto('/');
  const [known, used] = [await overview.number(overview.totalOf('Agents')), await overview.number(overview.totalOf('Terms'))];
  await agents.goto('/agents');
  // Other tests make agents and terms meanwhile, and take none away for good.
  expect(Number((await agents.total.innerText()).split(' ')[0]?.replaceAll(',', ''))).toBeGreaterThanOrEqual(known);
  await terms.goto('/vocabulary/terms?q=terraform');
  await expect(terms.rows).not.toHaveCount(0);
  expect(used).toBeGreaterThan(5);
});

test('the page counts what an agent remembers, and what waits for a decision', { tag: ['@phone', '@no-js'] }, async ({ overview, agent, page }) => {
  await agent.remember({ topic_raw: unique('barometer'), content: 'It falls before the storm.' });
  await overview.gotoUntil('/', async () => expect(await overview.item('Proposed terms').count()).toBe(1));
  expect(Number((await overview.item('Proposed terms').getByTestId('count').innerText()).replaceAll(',', ''))).toBeGreaterThan(0);
  expect(await overview.number(overview.tile('Memories stored'))).toBeGreaterThan(0);
  expect(await overview.number(overview.totalOf('Memories'))).toBeGreaterThan(0);
  await expect(overview.newest).toHaveCount(5);
  await overview.item('Proposed terms').click();
  await expect(page).toHaveURL('/vocabulary');
});

test('recalls that found nothing are counted, and those that were expected to find something', { tag: ['@phone', '@no-js'] }, async ({ overview, page }) => {
  const { zero_hit } = await Agent.create().ask('chess in Reykjavik', { expected: true });
  expect(zero_hit).toBe(true);
  const missed = overview.item('Missed expected result');
  // Logged behind the answer.
  await overview.gotoUntil('/', async () => expect(await missed.count()).toBe(1));
  await expect(missed).toContainText(/Of [\d,]+ recalls? in the last 7 days that expected a result\./);
  await expect(overview.tile('Recalls that found nothing').getByTestId('value')).toHaveText(/^\d+(\.\d)? %$/);
  await expect(overview.tile('Recalls that found nothing')).toContainText(/[\d,]+ of [\d,]+ recalls?/);
  await expect(overview.chart).toBeVisible();
  await missed.click();
  await expect(page).toHaveURL('/recall?days=7&expected=true');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('sees the front page', async ({ overview }) => {
    await overview.goto('/');
    await expect(overview.tiles).toHaveCount(4);
  });
});
