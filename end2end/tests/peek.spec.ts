import { unique, type Agent } from '../support/agent';
import { expect, test } from '../support/test';

/** Remembers three memories with a word in common. Topics and ids come newest first, as in the list. */
async function rememberThree(agent: Agent): Promise<{ list: string; topics: [string, string, string]; ids: [string, string, string] }> {
  const mark = unique('peek');
  const topics = [`third ${mark}`, `second ${mark}`, `first ${mark}`] as const;
  const made = await agent.rememberAll(topics.map((topic) => ({ topic_raw: topic, content: `Everything about the ${topic}.\n  Indented.` })));
  const ids = made.map(({ memory_id }) => memory_id).toReversed();
  return { list: agent.memories({ topic: mark }), topics: topics.toReversed() as [string, string, string], ids: ids as [string, string, string] };
}

test('a click opens the panel beside the list and sets the address', { tag: ['@phone', '@no-js'] }, async ({ memories, agent }) => {
  const { list, topics, ids } = await rememberThree(agent);
  await memories.goto(list);
  await expect(memories.peek.panel).toBeHidden();
  await memories.topic(topics[1]).click();
  await expect(memories.peek.topic).toHaveText(topics[1]);
  await expect(memories.peek.content).toHaveText(`Everything about the ${topics[1]}.\n  Indented.`, { useInnerText: true });
  await expect.poll(() => memories.query()['peek']).toBe(ids[1]);
  await expect(memories.row(topics[1])).toHaveAttribute('aria-current', 'true');
  await expect(memories.rows.and(memories.page.locator('[aria-current]'))).toHaveCount(1);

  await memories.peek.next.click();
  await expect(memories.peek.topic).toHaveText(topics[2]);
  await expect(memories.row(topics[2])).toHaveAttribute('aria-current', 'true');
  await expect(memories.peek.next).toHaveCount(0);
  await memories.peek.previous.click();
  await expect(memories.row(topics[1])).toHaveAttribute('aria-current', 'true');
  await memories.peek.previous.click();
  await expect(memories.peek.topic).toHaveText(topics[0]);
  await expect(memories.peek.previous).toHaveCount(0);
  await memories.peek.close.click();
  await expect(memories.peek.panel).toBeHidden();
  await expect.poll(() => memories.query()['peek']).toBeUndefined();
  await expect(memories.topics).toHaveText(topics);
});

test('an address with a peek opens the panel', { tag: ['@phone', '@no-js'] }, async ({ memories, memory, agent }) => {
  const { list, topics, ids } = await rememberThree(agent);
  await memories.goto(`${list}&peek=${ids[0]}`);
  await expect(memories.peek.topic).toHaveText(topics[0]);
  await memories.peek.open.click();
  await expect(memory.heading).toHaveText(topics[0]);
  await expect(memory.page).toHaveURL(new RegExp(`/memories/${ids[0]}\\?back=`));
  await memory.main.getByRole('link', { name: 'Memories', exact: true }).click();
  await expect.poll(() => memories.query()).toMatchObject(Object.fromEntries(new URL(list, 'http://x').searchParams));
  await expect(memories.total).toContainText('3 memories');
});

test('letters and arrow keys walk through the list', async ({ memories, memory, agent }) => {
  const { list, topics, ids } = await rememberThree(agent);
  await memories.goto(list);
  const { keyboard } = memories.page;
  const at = async (i: 0 | 1 | 2) => {
    await expect(memories.peek.topic).toHaveText(topics[i]);
    await expect(memories.row(topics[i])).toHaveAttribute('aria-current', 'true');
    await expect.poll(() => memories.query()['peek']).toBe(ids[i]);
  };
  await keyboard.press('j');
  await at(0);
  await keyboard.press('j');
  await at(1);
  await keyboard.press('ArrowDown');
  await at(2);
  await keyboard.press('j');
  await at(2);
  await keyboard.press('k');
  await at(1);
  await keyboard.press('ArrowUp');
  await at(0);
  await keyboard.press('Escape');
  await expect(memories.peek.panel).toBeHidden();
  await expect.poll(() => memories.query()['peek']).toBeUndefined();
  await memories.page.goBack();
  await at(0);
  // Each step took the place of the one before: going back leaves the panel.
  await memories.page.goBack();
  await expect(memories.peek.panel).toBeHidden();
  await memories.page.goForward();
  await at(0);
  await keyboard.press('o');
  await expect(memory.heading).toHaveText(topics[0]);
});

test('letters typed into a field are no shortcuts', async ({ memories, agent }) => {
  const { list } = await rememberThree(agent);
  await memories.goto(list);
  await memories.page.keyboard.press('/');
  await expect(memories.question).toBeFocused();
  await memories.page.keyboard.type('jko/');
  await expect(memories.question).toHaveValue('jko/');
  await expect(memories.peek.panel).toBeHidden();
});

test('the focus stays in the list while the panel opens and closes', async ({ memories, agent }) => {
  const { list, topics } = await rememberThree(agent);
  await memories.goto(list);
  await memories.topic(topics[1]).focus();
  await memories.page.keyboard.press('Enter');
  await expect(memories.peek.topic).toHaveText(topics[1]);
  await expect(memories.topic(topics[1])).toBeFocused();
  await memories.page.keyboard.press('Escape');
  await expect(memories.peek.panel).toBeHidden();
  await expect(memories.topic(topics[1])).toBeFocused();
});

test('a reason that was typed for one memory is not offered for the next', async ({ memories, agent }) => {
  const { list, topics, ids } = await rememberThree(agent);
  await memories.goto(`${list}&peek=${ids[0]}`);
  await memories.peek.delete.click();
  await memories.peek.reason.fill('It is outdated.');
  await memories.peek.next.click();
  await expect(memories.peek.topic).toHaveText(topics[1]);
  await expect(memories.peek.reason).toBeHidden();
  await memories.peek.delete.click();
  await expect(memories.peek.reason).toHaveValue('');
});

test('a peek at an unknown memory says so', async ({ memories, agent, gate }) => {
  gate.expect(404);
  const { list } = await rememberThree(agent);
  await memories.goto(`${list}&peek=00000000-0000-4000-8000-000000000000`);
  await expect(memories.peek.panel).toContainText('Not found');
  await memories.page.keyboard.press('Escape');
  await expect(memories.peek.panel).toBeHidden();
});
