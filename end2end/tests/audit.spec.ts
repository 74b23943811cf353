import { readFileSync } from 'node:fs';
import { unique, type Agent } from '../support/agent';
import { expect, test } from '../support/test';

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** Remembers and forgets a memory, which makes two entries; returns its id. */
async function rememberAndForget(agent: Agent): Promise<string> {
  const { memory_id } = await agent.remember({ topic_raw: unique('ledger'), content: 'The ledger is bound in green.' });
  await agent.forget(memory_id, 'The ledger is lost.');
  return memory_id;
}

test('the form filters the log and sets the address', { tag: ['@phone', '@no-js'] }, async ({ audit, agent }) => {
  const id = await rememberAndForget(agent);
  await audit.gotoUntil(`/audit?target=${id}`, async () => expect(await audit.entries.count()).toBe(2));
  await expect(audit.total).toHaveText('2 entries');
  await expect(audit.entries.nth(0)).toContainText('Memory deleted');
  await expect(audit.entries.nth(0)).toContainText('Reason: The ledger is lost.');
  await expect(audit.entries.nth(1)).toContainText('Memory stored');
  await expect(audit.target).toHaveValue(id);

  await audit.action.selectOption('Memory stored');
  await audit.apply.click();
  await expect(audit.total).toHaveText('1 entry');
  await expect.poll(() => audit.query()).toEqual({ action: 'memory.remembered', target: id });
  await expect(audit.entries).toContainText('Memory stored');

  await audit.action.selectOption('All actions');
  await audit.apply.click();
  await expect(audit.total).toHaveText('2 entries');
  await audit.actor.fill('Vera');
  await audit.apply.click();
  await expect(audit.empty.getByRole('heading')).toHaveText('No entry matches these filters');
  await expect.poll(() => audit.query()).toEqual({ actor: 'Vera', target: id });
  await audit.page.goBack();
  await expect(audit.total).toHaveText('2 entries');
  await expect(audit.actor).toHaveValue('');
  await audit.clear.click();
  await expect(audit.page).toHaveURL('/audit');
  await expect(audit.entries).toHaveCount(50);
});

test('a choice applies at once, and choices in a row are one step back', async ({ audit, agent }) => {
  const id = await rememberAndForget(agent);
  await audit.gotoUntil(`/audit?target=${id}`, async () => expect(await audit.entries.count()).toBe(2));
  for (const [action, query] of [['Memory stored', 'memory.remembered'], ['Memory deleted', 'memory.forgotten']] as const) {
    await audit.action.selectOption(action);
    await expect.poll(() => audit.query()).toEqual({ action: query, target: id });
    await expect(audit.total).toHaveText('1 entry');
  }
  await audit.page.goBack();
  await expect(audit.total).toHaveText('2 entries');
});

test('the log can be read from its beginning, with the same filters', { tag: '@no-js' }, async ({ audit, agent }) => {
  const id = await rememberAndForget(agent);
  await audit.gotoUntil(`/audit?target=${id}`, async () => expect(await audit.entries.count()).toBe(2));
  const when = audit.main.getByRole('columnheader', { name: /^When/ });
  await expect(when).toHaveAttribute('aria-sort', 'descending');
  await when.getByRole('link').click();
  await expect(when).toHaveAttribute('aria-sort', 'ascending');
  await expect(audit.entries.nth(0)).toContainText('Memory stored');
  await expect(audit.entries.nth(1)).toContainText('Memory deleted');
  await expect(audit.main.getByRole('link', { name: 'CSV' })).toHaveAttribute('href', `/audit.csv?target=${id}`);
  await audit.action.selectOption('Memory deleted');
  await audit.apply.click();
  await expect(audit.total).toHaveText('1 entry');
  await expect.poll(() => audit.query()).toEqual({ action: 'memory.forgotten', target: id, sort: 'reversed' });
  await when.getByRole('link').click();
  await expect.poll(() => audit.query()).toEqual({ action: 'memory.forgotten', target: id });
});

test('every filter filters the log', async ({ audit, agent }) => {
  const id = await rememberAndForget(agent);
  await audit.gotoUntil(`/audit?target=${id}`, async () => expect(await audit.entries.count()).toBe(2));
  const counts = async (filters: Record<string, string>, count: number) => {
    await audit.goto(`/audit?${new URLSearchParams({ target: id, ...filters })}`);
    if (count > 0) await expect(audit.total).toHaveText(count === 1 ? '1 entry' : `${count} entries`);
    else await expect(audit.empty).toBeVisible();
    await expect(audit.entries).toHaveCount(count);
  };
  await counts({ actor: agent.slug.toUpperCase() }, 2);
  await counts({ actor: agent.id }, 2);
  await counts({ actor: 'Vera' }, 0);
  await counts({ action: 'memory.' }, 2);
  await counts({ action: 'memory.forgotten' }, 1);
  await counts({ action: 'forgotten' }, 0);
  await counts({ from: day(-1), until: day(1) }, 2);
  await counts({ until: day(-2) }, 0);
  await counts({ from: day(2) }, 0);
  await counts({ target: id.slice(0, 30) }, 2);
  await counts({ target: id.slice(1, 30) }, 0);
});

test('the pages of the log follow one another in order', { tag: '@no-js' }, async ({ audit }) => {
  // Only what the demo has brought: it is days old, and nothing is added to it.
  await audit.goto(`/audit?action=memory.&until=${day(-3)}`);
  const total = Number((await audit.total.innerText()).split(' ')[0]);
  expect(total).toBeGreaterThan(50);
  const read = () => audit.entries.locator('time').evaluateAll((times) => times.map((time) => time.getAttribute('datetime') ?? ''));
  await expect(audit.entries).toHaveCount(50);
  const first = await read();
  await audit.older.click();
  await expect(audit.entries).toHaveCount(total - 50);
  const second = await read();
  expect([...first, ...second]).toEqual([...first, ...second].toSorted((a, b) => Date.parse(b) - Date.parse(a)));
  await audit.newer.click();
  await expect(audit.entries).toHaveCount(50);
  expect(await read()).toEqual(first);
});

test('a row links to its memory', async ({ audit, memory, agent }) => {
  const id = await rememberAndForget(agent);
  await audit.gotoUntil(`/audit?action=memory.forgotten&target=${id}`, async () => expect(await audit.entries.count()).toBe(1));
  await audit.entries.getByRole('link').click();
  await expect(memory.page).toHaveURL(`/memories/${id}`);
  await expect(memory.deleted).toContainText('The ledger is lost.');
});

test('the page says that the chain is intact, and up to which anchor', { tag: '@no-js' }, async ({ audit }) => {
  await audit.gotoUntil('/audit', async () => expect(await audit.chain.innerText()).toContain('chain intact'));
  await expect(audit.chain).toContainText(/^chain intact\s*[\d,]+ entries.*Anchor \d+:[0-9a-f]{64}$/);
});

test('signing in is recorded', async ({ audit }) => {
  await audit.goto('/audit?action=operator.signed_in&actor=Vera');
  await expect(audit.entries.first()).toContainText('Vera');
  await expect(audit.entries.first()).toContainText('Signed in');
});

test('an entry is found by the topic of its memory, and downloaded', { tag: '@no-js' }, async ({ audit, agent }) => {
  const topic = unique('ledger');
  const { memory_id, short_id } = await agent.remember({ topic_raw: topic, content: 'The ledger is bound in green.' });
  await agent.forget(memory_id, 'The ledger is lost.');
  await audit.gotoUntil(`/audit?${new URLSearchParams({ target: topic })}`, async () => expect(await audit.entries.count()).toBe(2));
  await expect(audit.entries.first()).toContainText(`${topic} · ${short_id}`);
  const download = audit.page.waitForEvent('download');
  await audit.page.getByRole('link', { name: 'CSV' }).click();
  const file = await (await download).path();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain('The ledger is lost.');
});

test('the audit log and a memory print without the frame, with exact times and whole tables', async ({ audit, memory, agent }) => {
  const id = await rememberAndForget(agent);
  await audit.gotoUntil(`/audit?target=${id}`, async () => expect(await audit.entries.count()).toBe(2));
  // About the width of a sheet; the theme of the screen is not that of the paper.
  await audit.page.setViewportSize({ width: 700, height: 1000 });
  await audit.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const prints = async () => {
    await expect(audit.page.locator('html')).toHaveCSS('color-scheme', 'light');
    for (const role of ['navigation', 'button', 'textbox', 'banner'] as const) await expect(audit.page.getByRole(role)).toHaveCount(0);
    await expect(audit.page.locator('a.button:visible, summary.button:visible')).toHaveCount(0);
    expect(await audit.overflow()).toBe(0);
  };
  await prints();
  await expect(audit.entries.first()).toBeVisible();
  await memory.open(id);
  await prints();
  await expect(memory.content).toBeVisible();
  const exact = await memory.page.locator('time[data-relative]').first().evaluate((time) => getComputedStyle(time, '::after').content);
  expect(exact).toContain('UTC');
});
