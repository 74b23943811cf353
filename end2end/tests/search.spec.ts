import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('a search finds by meaning, best first, and shows the scores', { tag: '@no-js' }, async ({ memories }) => {
  const agent = Agent.create();
  await agent.rememberAll([
    { topic_raw: 'parking', content: 'Visitors leave their cars in the yard behind the bakery.' },
    { topic_raw: 'lunch', content: 'The canteen has soup on Mondays.' },
    { topic_raw: 'bicycles', content: 'Bicycles are parked under the stairs, next to the yard.' },
  ]);
  await memories.goto(agent.memories());
  await memories.question.fill('Where can guests park their car?');
  await memories.search.click();
  await expect(memories.total).toContainText(/^(At least )?[\d,]+ of [\d,]+ memories reached the relevance floor of 0\.28/);
  await expect.poll(() => memories.query()).toEqual({ q: 'Where can guests park their car?', agent: agent.id });
  await expect(memories.topics.first()).toHaveText('parking');
  const scores = await memories.scores();
  expect(scores.length).toBe(await memories.rows.count());
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  await expect(memories.question).toHaveValue('Where can guests park their car?');
  await expect(memories.row('parking').getByText(/^Similarity\s*0\.\d\d$/)).toBeVisible();
  await expect(memories.pager).toHaveCount(0);
});

test('words of the question are highlighted', { tag: '@phone' }, async ({ memories, agent }) => {
  const topic = unique('lighthouse');
  await agent.remember({ topic_raw: topic, content: 'The lighthouse keeper retires in autumn.' });
  await memories.goto(agent.memories({ q: 'lighthouse keeper', topic }));
  await expect(memories.row(topic).locator('mark')).toHaveText(['lighthouse', 'keeper']);
});

test('an alias is searched as its term', async ({ memories }) => {
  await memories.goto('/memories?q=stage-db');
  await expect(memories.total).toContainText('searched as “staging database”');
  await expect(memories.topics.first()).toHaveText('staging database');
});

test('a search is not counted as a recall', async ({ memories, memory, agent }) => {
  const topic = unique('compass');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: 'The compass on the second boat is off by four degrees.' });
  await memories.goto(agent.memories({ q: 'compass deviation', topic }));
  await expect(memories.topics).toHaveText([topic]);
  await memory.open(memory_id);
  await expect(memory.fact('Recalled')).toHaveText('never');

  await agent.recall('which compass is off');
  await memory.gotoUntil(`/memories/${memory_id}`, async () => expect(await memory.fact('Recalled').innerText()).toContain('1 time, last'));
});

test('a memory below the relevance floor is not shown, but its relevance is', { tag: ['@phone', '@no-js'] }, async ({ memories }) => {
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  const question = 'Who won the chess tournament in Reykjavik?';
  await memories.goto(agent.memories({ q: question, topic: 'gasket' }));
  await expect(memories.empty.getByRole('heading')).toHaveText('Nothing relevant enough');
  await expect(memories.empty).toContainText(/The closest memory has a relevance of -?0\.[01]\d; the floor is 0\.28\./);
  await expect(memories.total).toContainText('0 of 1 memory reached the relevance floor of 0.28');
  await expect(memories.rows).toHaveCount(0);

  await memories.empty.getByRole('link', { name: 'Browse instead' }).click();
  await expect(memories.topics).toHaveText(['gasket']);
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id, topic: 'gasket' });
});

test('an agent without an answer links to all agents', { tag: '@no-js' }, async ({ memories }) => {
  // A mark alone may resemble the marks of memories that other tests share.
  const [agent, other, topic] = [Agent.create(), Agent.create(), unique('Mozart wrote his first symphony as a child')];
  await other.remember({ topic_raw: topic, content: 'He was eight years old.' });
  await memories.goto(agent.memories({ q: topic }));
  await expect(memories.empty).toContainText('Nothing relevant enough');
  await memories.empty.getByRole('link', { name: 'Ask all agents, without filters' }).click();
  await expect(memories.topic(topic)).toBeVisible();
  await expect.poll(() => memories.query()).toEqual({ q: topic });
});

test('deleted memories can be browsed, not searched', async ({ memories }) => {
  await memories.goto('/memories?q=coffee&deleted=true');
  await expect(memories.error).toContainText('deleted');
  await expect(memories.error).toContainText('Clear the search text to browse them.');
});
