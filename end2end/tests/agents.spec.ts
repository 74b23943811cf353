import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('agents are listed with their numbers of memories', { tag: ['@phone', '@no-js'] }, async ({ agents }) => {
  await agents.goto('/agents');
  await expect(agents.cell('binky', 'Live')).toHaveText('24');
  // Its rejected candidate was never a memory.
  await expect(agents.cell('binky', 'Deleted')).toHaveText('0');
  await expect(agents.row('binky')).toContainText('Binky, the release helper');
  await expect(agents.row('commons').getByTitle('The memory that all agents of the organisation share.')).toBeVisible();
});

test('the totals are the sums of the rows', async ({ agents }) => {
  await agents.goto('/agents');
  const numbers = async (column: number) => {
    const cells = await agents.rows.locator(`td:nth-of-type(${column})`).allInnerTexts();
    return cells.map((text) => Number(text.replaceAll(',', ''))).reduce((sum, n) => sum + n, 0);
  };
  const [live, deleted] = [await numbers(1), await numbers(2)];
  expect(live).toBeGreaterThan(0);
  await expect(agents.total).toContainText(`${live} memories live · ${deleted} deleted`);
});

test('a row shows the activity of its agent', { tag: '@no-js' }, async ({ agents }) => {
  const agent = Agent.create();
  await agents.goto('/agents');
  await expect(agents.cell(agent.slug, 'Live')).toHaveText('0');
  await expect(agents.cell(agent.slug, 'Last write')).toHaveText('never');
  await expect(agents.cell(agent.slug, 'Last recall')).toHaveText('never');
  await expect(agents.row(agent.slug).getByRole('img', { name: 'Nothing written in 28 days' })).toBeVisible();

  const [first] = await agent.rememberAll([
    { topic_raw: unique('boiler'), content: 'The boiler is looked at every May.' },
    { topic_raw: unique('roof'), content: 'The roof was mended by the Ferreira brothers.' },
    { topic_raw: unique('garden'), content: 'The roses are cut in February.' },
  ]);
  await agent.forget(first?.memory_id ?? '', 'not ours to know');
  await agent.recall('roses');
  // Recalls are counted behind the answer.
  await agents.gotoUntil('/agents', async () => expect(await agents.cell(agent.slug, 'Last recall').innerText()).not.toBe('never'));
  await expect(agents.cell(agent.slug, 'Live')).toHaveText('2');
  await expect(agents.cell(agent.slug, 'Deleted')).toHaveText('1');
  await expect(agents.cell(agent.slug, 'New this week')).toHaveText('3');
  await expect(agents.row(agent.slug).getByRole('img', { name: /^3 memories written in 28 days, most on .*: 3$/ })).toBeVisible();
  await expect(agents.cell(agent.slug, 'Last write').locator('time')).toHaveAttribute('title', /\d{2}:\d{2}:\d{2} UTC$/);
  await expect(agents.cell(agent.slug, 'Last recall').locator('time')).toBeVisible();
});

test('a row links to the memories of its agent and to the deleted ones', { tag: '@no-js' }, async ({ agents, memories }) => {
  const agent = Agent.create();
  const [kept, gone] = [unique('kept'), unique('gone')];
  const [, second] = await agent.rememberAll([
    { topic_raw: kept, content: 'The lease runs until 2031.' },
    { topic_raw: gone, content: 'The old tenant was called Pires.' },
  ]);
  await agent.forget(second?.memory_id ?? '', 'asked to');

  await agents.goto('/agents');
  await agents.row(agent.slug).getByRole('link', { name: `1 live memory of ${agent.slug}` }).click();
  await expect(memories.total).toHaveText('1 memory');
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id });
  await expect(memories.topics).toHaveText([kept]);
  await expect(memories.agent.getByRole('option', { selected: true })).toHaveText(agent.slug);

  await agents.goto('/agents');
  await agents.row(agent.slug).getByRole('link', { name: `1 deleted memory of ${agent.slug}` }).click();
  await expect(memories.total).toHaveText('1 deleted memory');
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id, deleted: 'true' });
  await expect(memories.topics).toHaveText([gone]);
});

test('the page of an agent shows its keys, memories and recalls, and blocks it', { tag: ['@phone', '@no-js'] }, async ({ agents, agentPage }) => {
  const agent = Agent.create();
  await agent.rememberAll([{ topic_raw: unique('boiler'), content: 'The boiler is looked at every May.' }]);
  await agents.goto('/agents');
  await agents.row(agent.slug).getByRole('link', { name: agent.slug, exact: true }).click();
  await expect(agentPage.heading).toHaveText(agent.slug);
  await expect(agentPage.keys).toHaveCount(1);
  await expect(agentPage.keys.first()).toContainText(/rmb_\w{12}_…/);
  await expect(agentPage.memories).toContainText('live1');
  await agentPage.block('the laptop was lost');
  await expect(agentPage.blocked).toContainText('Its keys are refused');
  await agentPage.unblock('found again');
  await expect(agentPage.blocked).toHaveCount(0);
});

test('the list is sorted by a column and back', { tag: '@no-js' }, async ({ agents }) => {
  await agents.goto('/agents');
  const live = async () => (await agents.rows.locator('td:nth-of-type(1)').allInnerTexts()).map((text) => Number(text.replaceAll(',', '')));
  await agents.table.getByRole('link', { name: 'Live', exact: true }).click();
  await expect(agents.table.getByRole('columnheader', { name: 'Live' })).toHaveAttribute('aria-sort', 'descending');
  const shown = await live();
  expect(shown.length).toBeGreaterThan(2);
  expect(shown).toEqual(shown.toSorted((a, b) => b - a));
  await agents.table.getByRole('link', { name: 'Live', exact: true }).click();
  await expect(agents.page).toHaveURL('/agents');
});
