import { unique, type Agent } from '../support/agent';
import { expect, test } from '../support/test';

/** Remembers a memory and revises it twice; returns its id. */
async function rememberThreeVersions(agent: Agent): Promise<string> {
  const topic = unique('assembly');
  const content = (time: string) => `The assembly of the harbour board takes place at ${time} in the small room.`;
  const { memory_id } = await agent.remember({ topic_raw: topic, content: content('9:30') });
  for (const time of ['9:45', '10:15']) await agent.revise(memory_id, content(time));
  return memory_id;
}

test('any two versions can be compared, and the address names them', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const id = await rememberThreeVersions(agent);
  const back = agent.memories({});
  await memory.goto(`/memories/${id}?back=${encodeURIComponent(back)}`);
  await expect(memory.history).toHaveCount(3);
  await expect(memory.comparison).toHaveCount(0);
  await expect(memory.from).toHaveValue('2');
  await expect(memory.to).toHaveValue('3');
  await memory.from.selectOption('1');
  await memory.compare.click();
  await expect.poll(() => memory.query()).toEqual({ back, from: '1', to: '3' });
  await expect(memory.comparison.getByRole('heading')).toHaveText('What changed from version 1 to version 3');
  await expect(memory.comparison.locator('del')).toHaveText(['9', '30']);
  await expect(memory.comparison.locator('ins')).toHaveText(['10', '15']);

  await memory.page.reload();
  await memory.ready();
  await expect(memory.from).toHaveValue('1');
  await expect(memory.comparison).toBeVisible();
  await memory.stopComparing.click();
  await expect(memory.comparison).toHaveCount(0);
  await expect.poll(() => memory.query()).toEqual({ back });
  await expect(memory.back).toHaveAttribute('href', back);
});

test('versions that do not exist are rejected', { tag: '@no-js' }, async ({ memory, agent }) => {
  const id = await rememberThreeVersions(agent);
  await memory.goto(`/memories/${id}?from=1&to=9`);
  await expect(memory.to).toHaveAccessibleDescription('This memory has no such version.');
  await expect(memory.comparison).toHaveCount(0);
  await memory.goto(`/memories/${id}?from=2&to=2`);
  await expect(memory.to).toHaveAccessibleDescription('Choose two different versions.');
  await expect(memory.history).toHaveCount(3);
});

test('a memory with one version has nothing to compare', async ({ memory, agent }) => {
  const { memory_id } = await agent.remember({ topic_raw: unique('single'), content: 'The ferry has one chimney.' });
  await memory.open(memory_id);
  await expect(memory.history).toHaveCount(1);
  await expect(memory.compare).toHaveCount(0);
});
