import { unique, type Agent } from '../support/agent';
import { expect, test } from '../support/test';

async function rememberSeveral(agent: Agent, count: number): Promise<{ mark: string; topics: string[]; ids: string[] }> {
  const mark = unique('shelf');
  const topics = Array.from({ length: count }, (_, i) => `${mark} row ${i + 1}`);
  const made = await agent.rememberAll(topics.map((topic) => ({ topic_raw: topic, content: `Found on ${topic}.` })));
  return { mark, topics, ids: made.map(({ memory_id }) => memory_id) };
}

test('selected memories are counted, and deleted for a reason', { tag: ['@phone', '@no-js'] }, async ({ memories, deletion, audit, agent }) => {
  const { mark, topics, ids } = await rememberSeveral(agent, 4);
  const [first = '', second = '', third = '', fourth = ''] = topics;
  const list = agent.memories({ topic: mark });
  await memories.goto(list);
  for (const topic of [first, second, third]) await memories.select(topic).check();
  await memories.send(memories.deleteSelected);

  await expect(deletion.heading).toHaveText('Delete memories');
  await expect(deletion.count).toHaveText('Delete 3 memories?');
  await expect(deletion.rows).toHaveCount(3);
  for (const topic of [first, second, third]) await expect(deletion.rows.getByRole('link', { name: topic, exact: true })).toBeVisible();
  await expect(deletion.confirm).toHaveText('Delete 3 memories');

  await deletion.reason.fill(' ');
  await deletion.send(deletion.confirm);
  await expect(deletion.reason).toHaveAccessibleDescription(/Must not be empty\./);
  await expect(deletion.count).toHaveText('Delete 3 memories?');

  await deletion.reason.fill('The shelf was sold.');
  await deletion.send(deletion.confirm);
  await expect(memories.flash).toContainText('Deleted 3 memories.');
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id, topic: mark });
  await expect(memories.topics).toHaveText([fourth]);
  expect(await agent.recall(mark)).not.toContain(ids[0]);

  await audit.goto(`/audit?action=memory.forgotten&target=${ids[2]}`);
  await expect(audit.entries).toContainText('Reason: The shelf was sold.');
});

test('the count follows the checkboxes', async ({ memories, deletion, agent }) => {
  const { mark, topics } = await rememberSeveral(agent, 3);
  await memories.goto(agent.memories({ topic: mark }));
  const count = memories.page.getByText(/Select memories to delete|\d (memory|memories) selected$/);
  await expect(count).toHaveText('Select memories to delete them together.');
  await expect(memories.deleteSelected).toHaveText('Delete selected…');
  await expect(memories.deleteSelected).toBeDisabled();
  await memories.select(topics[0] ?? '').check();
  await expect(count).toHaveText('1 memory selected');
  await memories.selectAll.check();
  await expect(count).toHaveText('3 memories selected');
  await expect(memories.deleteSelected).toHaveText('Delete 3…');
  for (const topic of topics) await expect(memories.select(topic)).toBeChecked();
  await memories.select(topics[1] ?? '').uncheck();
  await expect(count).toHaveText('2 memories selected');
  await memories.send(memories.deleteSelected);
  await expect(deletion.rows).toHaveCount(2);
  await deletion.cancel.click();
  await expect(memories.topics).toHaveCount(3);
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id, topic: mark });
});

test('deleting without a selection links back to the list', { tag: '@only-no-js' }, async ({ memories, deletion, agent }) => {
  const { mark } = await rememberSeveral(agent, 1);
  await memories.goto(agent.memories({ topic: mark }));
  await memories.send(memories.deleteSelected);
  await expect(deletion.empty).toContainText('Nothing is selected');
  await expect(deletion.empty).toContainText('Select at least one memory.');
  await deletion.empty.getByRole('link', { name: 'Back to the list' }).click();
  await expect(memories.topics).toHaveCount(1);
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id, topic: mark });
});

test('at most a hundred memories are deleted at once', { tag: '@no-js' }, async ({ memories, deletion, agent }) => {
  const { mark, ids } = await rememberSeveral(agent, 101);
  await deletion.goto(`/memories/delete?${new URLSearchParams([...ids.map((id) => ['ids', id]), ['back', agent.memories({ topic: mark })]])}`);
  await expect(deletion.count).toHaveText('Delete 100 memories?');
  await expect(deletion.main).toContainText('Only the first 100 selected items can be processed at once.');
  await expect(deletion.rows).toHaveCount(100);
  await deletion.reason.fill('The library moves.');
  await deletion.send(deletion.confirm);
  await expect(memories.flash).toContainText('Deleted 100 memories.');
  await expect(memories.total).toHaveText('1 memory');
});
