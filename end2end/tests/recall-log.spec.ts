import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('the log lists recalls, and the address filters them', { tag: ['@phone', '@no-js'] }, async ({ recalls }) => {
  const agent = Agent.create();
  const { memory_id } = await agent.remember({ topic_raw: 'lantern', content: 'The lantern of the breakwater is lit at dusk.' });
  const [found, silent] = [unique('When is the lantern of the breakwater lit'), unique('Who won the chess tournament in Reykjavik')];
  await agent.ask(found);
  await agent.ask(silent, { expected: true });
  await recalls.openWith(agent.id, 2);
  await expect(recalls.total).toHaveText('2 recalls');
  await expect(recalls.rows.getByRole('link')).toHaveText([silent, found]);
  await expect(recalls.row(silent).getByText('found nothing')).toBeVisible();
  await expect(recalls.row(silent).getByText('result expected', { exact: true })).toBeVisible();
  await expect(recalls.row(found).getByText('found nothing')).toHaveCount(0);

  await recalls.outcome.selectOption('Found a memory');
  await recalls.apply.click();
  await expect(recalls.rows.getByRole('link')).toHaveText([found]);
  await expect.poll(() => recalls.query()).toEqual({ agent: agent.id, zero_hit: 'false' });
  await recalls.goto(`/recall/log?agent=${agent.id}&q=REYKJAVIK`);
  await expect(recalls.rows.getByRole('link')).toHaveText([silent]);
  await recalls.goto(`/recall/log?memory=${memory_id}`);
  await expect(recalls.rows.getByRole('link')).toHaveText([found]);
  await recalls.goto(`/recall/log?agent=${agent.id}&from=2126-01-01`);
  await expect(recalls.empty).toContainText('No recall matches these filters');
});

test('an invalid filter of the log is explained at its field', { tag: '@no-js' }, async ({ recalls }) => {
  await recalls.goto('/recall/log?memory=tea&ranking=best&from=2026-05-02&until=2026-05-01');
  await expect(recalls.memory).toHaveAccessibleDescription('Enter a UUID.');
  await expect(recalls.ranking).toHaveAccessibleDescription('Choose one of the rankings.');
  await expect(recalls.until).toHaveAccessibleDescription('The end is before the beginning.');
  await expect(recalls.error).toContainText('Invalid input');
});

test('a recall is shown whole and links to what it found', { tag: ['@phone', '@no-js'] }, async ({ retrieval, memory, gate }) => {
  // The log is written a moment behind the answer.
  gate.expect(404);
  const agent = Agent.create();
  const topic = unique('winch');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: 'The winch of the slipway is oiled each Friday.' });
  const query = unique('How often is the winch oiled');
  const { retrieval_id } = await agent.ask(query, { k: 3 });
  await retrieval.open(retrieval_id);
  await expect(retrieval.heading).toHaveText(query);
  await expect(retrieval.considered.first()).toContainText(topic);
  await expect(retrieval.considered.first().getByText('in the answer').filter({ visible: true })).toBeVisible();
  await expect(retrieval.main).toContainText('at most 3');
  await expect(retrieval.verdict).toHaveCount(0);
  await retrieval.considered.first().getByRole('link', { name: topic }).click();
  await expect(memory.heading).toHaveText(topic);
  await expect(memory.recalledBy).toHaveText([new RegExp(`^#1\\s*${query}`)]);
  await memory.recalledBy.getByRole('link').click();
  await expect(retrieval.heading).toHaveText(query);
  expect(retrieval.page.url()).toContain(retrieval_id);
  await retrieval.goto(`/memories/${memory_id}`);
});

test('a recall is replayed, with the data of then and of today', { tag: ['@phone', '@no-js'] }, async ({ retrieval, gate }) => {
  // The log is written a moment behind the answer.
  gate.expect(404);
  const agent = Agent.create();
  const [first, second, third] = [unique('rope'), unique('hawser'), unique('line')];
  const made = await agent.rememberAll([
    { topic_raw: first, content: 'The mooring rope of the ferry is forty metres long.' },
    { topic_raw: second, content: 'The mooring rope of the pilot boat is twenty metres long.' },
  ]);
  const { retrieval_id, hits } = await agent.ask('How long is the mooring rope of the ferry?');
  expect(hits.length).toBeGreaterThanOrEqual(2);
  await agent.forget(made[0]?.memory_id ?? '', 'it was replaced');
  await agent.revise(made[1]?.memory_id ?? '', 'The mooring rope of the pilot boat is thirty metres long.');
  await agent.remember({ topic_raw: third, content: 'The new mooring rope of the ferry is fifty metres long.' });

  await retrieval.open(retrieval_id);
  await retrieval.replay.click();
  await expect(retrieval.verdict).toContainText("Reproduced: the same hits in the same order. Today's results differ; of the hits in both, 1 has new content.");
  await expect.poll(() => retrieval.query()).toEqual({ replay: 'yes' });
  await expect(retrieval.column('Logged')).toContainText(first);
  await expect(retrieval.column('Replayed')).toContainText(first);
  await expect(retrieval.column('Replayed').getByTestId('missing')).toHaveCount(0);
  const today = retrieval.column('Today');
  await expect(today.getByTestId('missing')).toContainText(first);
  await expect(today.getByRole('listitem').filter({ hasText: third })).toContainText('new');
  const revised = today.getByRole('listitem').filter({ hasText: second });
  await expect(revised.locator('del')).toHaveText('twenty');
  await expect(revised.locator('ins')).toHaveText('thirty');
  await expect(retrieval.column('Replayed').locator('ins')).toHaveCount(0);
  await expect(retrieval.lost).toHaveCount(0);
  await retrieval.hide.click();
  await expect(retrieval.verdict).toHaveCount(0);
});

test('an unknown recall is not found', { tag: '@no-js' }, async ({ retrieval, gate }) => {
  gate.expect(404);
  for (const id of ['0198f000-0000-7000-8000-000000000000', 'nothing']) {
    const response = await retrieval.goto(`/recall/log/${id}`);
    expect(response.status()).toBe(404);
    await expect(retrieval.error).toContainText('Not found');
  }
});
