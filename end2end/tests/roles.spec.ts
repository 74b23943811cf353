import { unique } from '../support/agent';
import { sendByHand } from '../support/form';
import { another, expect, test } from '../support/test';

test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

test('a viewer is offered no action', { tag: '@no-js' }, async ({ memories, memory, agent }) => {
  const topic = unique('vault');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: 'The vault opens at nine.' });
  await memories.goto(agent.memories({ topic }));
  await expect(memories.topics).toHaveText([topic]);
  await memories.openAccount();
  await expect(memories.account.getByRole('paragraph')).toHaveText(['viewer', 'Times in UTC']);
  await expect(memories.page.getByRole('checkbox')).toHaveCount(0);
  await expect(memories.deleteSelected).toHaveCount(0);
  await memories.topic(topic).click();
  await expect(memories.peek.content).toHaveText('The vault opens at nine.');
  await expect(memories.peek.open).toBeVisible();
  await expect(memories.peek.correct).toHaveCount(0);
  await expect(memories.peek.delete).toHaveCount(0);
  await memory.open(memory_id);
  await expect(memory.content).toHaveText('The vault opens at nine.');
  await expect(memory.unfoldDelete).toHaveCount(0);
  await expect(memory.reason).toHaveCount(0);
});

test('a viewer may open every page', async ({ frame, agent }) => {
  for (const path of ['/lifecycle', '/people', '/usage', '/inbox', '/inbox/suggestions', '/inbox/quarantine', '/inbox/policy', '/sources', '/sessions', '/events', '/knowledge', '/knowledge/runs', '/knowledge/topology', '/recall', '/quality', '/quality/expectations', `/recall/playground?agent=${agent.id}&q=tea`, `/recall/diagnose?agent=${agent.id}&memory=aaaaaaaa&q=tea`]) {
    await frame.goto(path);
    await expect(frame.heading).toBeVisible();
    await expect(frame.error).toHaveCount(0);
  }
});

test('a viewer is offered no page that answers with a refusal', { tag: '@no-js' }, async ({ frame, page }) => {
  await frame.goto('/knowledge');
  await expect(page.getByRole('link', { name: 'People', exact: true }).filter({ visible: true })).toHaveCount(1);
  await expect(page.getByRole('link', { name: 'Erasure', exact: true })).toHaveCount(0);
  const tabs = (section: string) => page.getByRole('navigation', { name: section, exact: true }).getByRole('link');
  await expect(tabs('Knowledge')).toHaveText(['Documents', 'Ingestions', 'Topology']);
  await frame.goto('/sources');
  await expect(tabs('Sources')).toHaveText(['Sources', 'Sessions']);
  await frame.goto('/search?q=knowledge');
  await expect(page.getByTestId('place').filter({ hasText: 'Ingestions' })).toHaveCount(1);
  await expect(page.getByRole('link', { name: 'Upload', exact: true })).toHaveCount(0);
});

test('the deletion page rejects a viewer', async ({ deletion, agent, gate }) => {
  gate.expect(403);
  const { memory_id } = await agent.remember({ topic_raw: unique('vault'), content: 'The vault closes at five.' });
  await deletion.goto(`/memories/delete?ids=${memory_id}`);
  await expect(deletion.error).toContainText('Your role does not allow this');
  await expect(deletion.confirm).toHaveCount(0);
});

test('the server rejects a deletion by a viewer', async ({ memory, page, agent, browser, gate, session }) => {
  const topic = unique('vault');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: `The key of the ${topic} hangs in the hall.` });
  const send = async (from: typeof page) => {
    await from.goto(`/memories/${memory_id}`);
    const fields = { ids: memory_id, reason: 'By the back door.', done: '/agents', form: '/agents' };
    return sendByHand(from, '/console/api/delete_memories', fields);
  };
  gate.expect(403);
  expect(await send(page)).toBe(403);
  expect(await agent.recall(`Where is the key of the ${topic}?`)).toContain(memory_id);
  await memory.open(memory_id);
  await expect(memory.deleted).toHaveCount(0);
  // The same words from somebody who may: it was the role.
  const vera = await another(browser, gate, { storageState: session });
  expect(await send(vera.page)).toBe(200);
  await vera.page.context().close();
  expect(await agent.recall(`Where is the key of the ${topic}?`)).not.toContain(memory_id);
});
