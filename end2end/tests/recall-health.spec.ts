import { Agent } from '../support/agent';
import { expect, test } from '../support/test';

test('a recall that found nothing is counted and explained', { tag: ['@phone', '@no-js'] }, async ({ health, playground }) => {
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  // The agent is this test's own, so the words need not be; random digits may come near to those of another test's document.
  const question = 'Who won the chess tournament in Reykjavik?';
  const { zero_hit } = await agent.ask(question, { expected: true });
  expect(zero_hit).toBe(true);
  await agent.ask('Which gasket does pump four take?');

  // The log is written behind the answer.
  await health.gotoUntil(`/recall?agent=${agent.id}`, async () => expect(health.tile('Recalls')).toContainText(/^2\D/, { timeout: 1_000 }));
  await expect(health.tile('Found nothing')).toContainText('50 %');
  await expect(health.tile('Missed expected results')).toContainText('100 % of 1 recall that expected a result');
  await expect(health.chart).toHaveAccessibleName(/^30 days: 1 of 2 recalls found nothing, 1 of them although a result was expected; most on .*: 1$/);
  await expect(health.line('cause', 'all below the floor')).toBeVisible();

  const item = health.item(question);
  await expect(item).toContainText('expected');
  await expect(item).toContainText('All below the floor: no memory was relevant enough.');
  // Which ones are nearest depends on what other tests share.
  const misses = item.getByRole('list', { name: 'Near misses' });
  await expect(misses).toContainText(/-?0\.\d\d < 0\.\d\d/);
  await expect(misses.getByRole('link').first()).toHaveAttribute('href', /^\/memories\//);
  const alias = await item.getByRole('link', { name: 'Add an alias' }).getAttribute('href');
  expect(new URL(alias ?? '', 'http://x').searchParams.get('alias')).toBe(question);

  await item.getByRole('link', { name: 'Try it again' }).click();
  await expect(playground.question).toHaveValue(question);
  await expect.poll(() => playground.query()).toEqual({ agent: agent.id, q: question });
});

test('an agent that recalls and has no memories of its own is named', { tag: ['@phone', '@no-js'] }, async ({ health }) => {
  const agent = Agent.create();
  const question = 'Who won the chess tournament in Reykjavik?';
  await agent.ask(question);
  await health.gotoUntil(`/recall?agent=${agent.id}`, async () => expect(health.withoutMemories).toBeVisible({ timeout: 1_000 }));
  await expect(health.withoutMemories).toHaveText(`1 agent recalls and has no memories of its own: ${agent.slug}`);
  await expect(health.withoutMemories.getByRole('link', { name: agent.slug })).toHaveAttribute('href', `/agents/${agent.id}`);
  await expect(health.item(question)).toContainText('Nothing stored: the agent had no memories of its own');

  await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  await health.goto(`/recall?agent=${agent.id}`);
  await expect(health.tile('Recalls')).toContainText(/^1\D/);
  await expect(health.withoutMemories).toHaveCount(0);
});

test('a deleted memory that would have matched is named', { tag: '@no-js' }, async ({ health, memory, retrieval }) => {
  const agent = Agent.create();
  const { memory_id } = await agent.remember({ topic_raw: 'sextant', content: 'The sextant lies in the captain’s cabin.' });
  await agent.forget(memory_id, 'it was sold');
  const { zero_hit } = await agent.ask('Where does the sextant lie?');
  expect(zero_hit).toBe(true);
  await health.gotoUntil(`/recall?agent=${agent.id}`, async () => expect(await health.items.count()).toBe(1));
  const why = 'Filtered out: a relevant memory exists, but it was deleted. Its topic is sextant.';
  await expect(health.items).toContainText(why);
  await health.items.getByRole('heading').getByRole('link').click();
  await expect(retrieval.nothing).toContainText(why);
  await expect(retrieval.nothing.getByRole('link', { name: 'See the deleted memory' })).toHaveAttribute('href', `/memories/${memory_id}`);
  await health.page.goBack();
  // What other tests shared and deleted may be a near miss, too.
  const misses = health.items.getByRole('list', { name: 'Near misses' }).getByRole('listitem');
  const miss = misses.filter({ has: health.page.getByRole('link', { name: 'sextant', exact: true }) });
  await expect(miss).toContainText('deleted');
  const restore = miss.getByTestId('restore');
  await restore.getByText('Restore…').click();
  await restore.getByRole('textbox', { name: 'Reason' }).fill('it was found');
  await health.send(restore.getByRole('button', { name: 'Restore this memory' }));
  await expect(health.flash).toContainText('Restored 1 memory: “');
  await expect(miss.getByTestId('restore')).toHaveCount(0);
  await health.items.getByRole('link', { name: 'See the deleted memory' }).click();
  await expect(memory.deleted).toHaveCount(0);
});

test('the form and the bars filter the page and set the address', { tag: ['@phone', '@no-js'] }, async ({ health }) => {
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  const [expected, other] = ['chess in Reykjavik', 'Who discovered penicillin?'];
  await agent.ask(expected, { expected: true });
  await agent.ask(other);
  await health.gotoUntil(`/recall?agent=${agent.id}`, async () => expect(await health.items.count()).toBe(2));
  await expect(health.agent.getByRole('option', { selected: true })).toHaveText(agent.slug);

  await health.expected.selectOption('Yes');
  await health.period.selectOption('7 days');
  await health.apply.click();
  await expect(health.items).toHaveCount(1);
  await expect(health.item(expected)).toBeVisible();
  await expect.poll(() => health.query()).toEqual({ days: '7', agent: agent.id, expected: 'true' });
  await expect(health.chart).toHaveAccessibleName(/^7 days: /);

  await health.page.goBack();
  await expect(health.items).toHaveCount(2);
  await expect(health.expected).toHaveValue('');
  await health.line('cause', 'all below the floor').click();
  await expect.poll(() => health.query()).toEqual({ agent: agent.id, cause: 'below_floor' });
  await expect(health.cause).toHaveValue('below_floor');
  // Once the page shows the chosen line, the same link takes it back.
  await expect(health.chosenLine('cause')).toContainText('all below the floor');
  await expect(health.items).toHaveCount(2);
  await health.line('cause', 'all below the floor').click();
  await expect.poll(() => health.query()).toEqual({ agent: agent.id });
  await health.clear.click();
  await expect(health.page).toHaveURL('/recall');
});

test('each bar narrows the page to its day or hour, and the narrowing can be cleared', { tag: ['@phone', '@no-js'] }, async ({ health }) => {
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  await agent.ask('chess in Reykjavik');
  await health.gotoUntil(`/recall?days=1&agent=${agent.id}`, async () => expect(await health.items.count()).toBe(1));
  await expect(health.chart).toHaveAccessibleName(/^24 hours: 1 of 1 recall found nothing; most on .*, \d\d:00–\d\d:00: 1$/);
  await expect(health.chart.getByTestId('bar')).toHaveCount(24);
  await expect(health.stored).toContainText('Memories stored by hour');
  await expect(health.stored).toContainText('1 memory');
  await expect(health.lastWrite).toContainText(/Last write (just now|\d+ min ago)/);

  await health.bar('1 of 1 recall found nothing').click();
  await expect(health.narrowed).toContainText(/Showing only .*, \d\d:00–\d\d:00/);
  await expect(health.items).toHaveCount(1);
  await expect(health.hour).not.toHaveValue('');
  await expect.poll(() => Object.keys(health.query()).sort()).toEqual(['agent', 'day', 'days', 'hour']);
  await health.narrowed.getByRole('link', { name: 'Show the whole period' }).click();
  await expect.poll(() => health.query()).toEqual({ days: '1', agent: agent.id });
  await expect(health.narrowed).toHaveCount(0);

  await health.goto(`/recall?agent=${agent.id}`);
  await health.bar('1 of 1 recall found nothing').click();
  await expect(health.narrowed).toContainText(/Showing only \d+ \w+ \d{4}/);
  await expect(health.chart).toHaveAccessibleName(/^24 hours: 1 of 1 recall found nothing/);
});

test('an empty page says so and links to the playground', { tag: '@no-js' }, async ({ health, playground }) => {
  await health.goto(`/recall?agent=${Agent.create().id}`);
  await expect(health.empty.getByRole('heading')).toHaveText('No recall matches these filters');
  await health.empty.getByRole('link', { name: 'Open the playground' }).click();
  await expect(playground.page).toHaveURL('/recall/playground');
  await expect(playground.empty).toContainText('No recall yet');
});

test('invalid filters are explained', { tag: '@no-js' }, async ({ gate, health }) => {
  gate.expect(400);
  await health.goto('/recall?days=8&cause=bad+luck&hour=9');
  await expect(health.error).toContainText('Choose one of the periods.');
  await expect(health.error).toContainText('Choose one of the causes.');
  await expect(health.error).toContainText('Choose the day of the hour.');
  await expect(health.period).toHaveAttribute('aria-invalid', 'true');
  await expect(health.day).toHaveAttribute('aria-invalid', 'true');
  await health.goto('/recall?days=7&day=2020-02-29');
  await expect(health.error).toContainText('is outside of the period');
  await health.error.getByRole('link', { name: 'Start over' }).click();
  await expect(health.page).toHaveURL('/recall');
});
