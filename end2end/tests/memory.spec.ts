import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

const VERBATIM = 'Line one,  with two blanks.\n\n\tA tab — “quotes”, émoji 🫖, <b>no markup</b> & 1 < 2.\n   Three blanks before.';

test('the content is shown verbatim', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const topic = unique('verbatim');
  const { memory_id, short_id } = await agent.remember({ topic_raw: topic, content: VERBATIM });
  await memory.open(memory_id);
  await expect(memory.heading).toHaveText(topic);
  await expect(memory.page).toHaveTitle(`${topic} · Remembrancer`);
  expect(await memory.content.textContent()).toBe(VERBATIM);
  await expect(memory.content).toHaveCSS('white-space-collapse', 'preserve');
  await expect(memory.content.locator('b')).toHaveCount(0);
  await expect(memory.main.getByText(short_id, { exact: true })).toBeVisible();
  await expect(memory.main.getByText('not a term', { exact: true })).toBeVisible();
});

test('the content cannot be edited', async ({ memory, agent }) => {
  const { memory_id } = await agent.remember({ topic_raw: unique('fixed'), content: 'Nobody rewrites this.' });
  await memory.open(memory_id);
  await memory.unfoldDelete.click();
  await expect(memory.main.getByRole('textbox')).toHaveCount(1);
  await expect(memory.reason).toBeEditable();
  await expect(memory.page.locator('[contenteditable]')).toHaveCount(0);
});

test('the page shows the source of a memory', { tag: '@no-js' }, async ({ memory, agent }) => {
  const source = { platform: 'drive', channel_id: 'D-minutes', thread_id: 'T-77', message_id: 'M-3', observed_at: '2026-03-04T05:06:07Z' };
  const { memory_id } = await agent.remember({ topic_raw: unique('minutes'), content: 'The minutes are signed by both sides.', source });
  await memory.open(memory_id);
  for (const value of ['drive', 'D-minutes', 'T-77', 'M-3', 'conversation']) {
    await expect(memory.provenance.getByText(value, { exact: true })).toBeVisible();
  }
  await expect(memory.provenance.locator('time')).toHaveAttribute('title', '4 Mar 2026, 05:06:07 UTC');
  await expect(memory.fact('Agent')).toHaveText(agent.slug);
  await expect(memory.fact('Embedding model')).toHaveText('multilingual-e5-small');
});

test('title, summary, subject and evidence are shown with the content', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const details = { subject: 'Mina', title: 'Who signs releases', summary: 'Mina signs.', evidence_ref: 'https://wiki.example/releases' };
  const { memory_id } = await agent.remember({ topic_raw: unique('signing'), content: 'She signs off every rollout.', category: 'person', ...details });
  await memory.open(memory_id);
  await expect(memory.title).toHaveText(details.title);
  await expect(memory.content).toHaveText('She signs off every rollout.');
  await expect(memory.summary).toHaveText(`Summary: ${details.summary}`);
  await expect(memory.fact('Subject')).toHaveText('Mina');
  await expect(memory.fact('Evidence').getByRole('link')).toHaveAttribute('href', details.evidence_ref);
});

test('a decision shows its rationale and what was rejected', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const decision = { kind: 'decision', rationale: 'Steel needs no paint.', alternatives: ['oak', 'larch from the north shore'] };
  const { memory_id } = await agent.remember({ topic_raw: unique('gangway'), content: 'The gangway is made of steel.', ...decision });
  await memory.open(memory_id);
  await expect(memory.reasons.getByRole('definition').first()).toHaveText(decision.rationale);
  await expect(memory.reasons.getByRole('listitem')).toHaveText(decision.alternatives);
});

test('the history shows what each version changed', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const topic = unique('standup');
  const first = await agent.remember({ topic_raw: topic, content: 'The standup of the harbour team takes place at 9:30 in the small room.' });
  const content = 'The standup of the harbour team takes place at 9:45 in the small room.';
  await agent.revise(first.memory_id, content, { platform: 'drive', channel_id: 'D-plan' });
  await memory.openWithTrail(first.memory_id, 2);

  await expect(memory.history).toHaveCount(2);
  const [newer, older] = [memory.history.nth(0), memory.history.nth(1)];
  await expect(newer).toContainText(/v2\s*Memory revised.*on drive/);
  await expect(newer.locator('del')).toHaveText('30');
  await expect(newer.locator('ins')).toHaveText('45');
  await expect(older).toContainText(/v1\s*Memory stored.*on slack/);
  await expect(older).toContainText('takes place at 9:30');
  await expect(memory.content).toHaveText(content);
  await expect(memory.trail.nth(0)).toContainText('Memory revised');
  await expect(memory.trail.nth(1)).toContainText('Memory stored');
  await expect(memory.trail.nth(1)).toContainText(`${agent.slug} (agent)`);
});

test('recalls are counted', async ({ memory, agent }) => {
  const { memory_id } = await agent.remember({ topic_raw: unique('ferry'), content: 'The last ferry leaves at ten past eleven.' });
  await memory.open(memory_id);
  await expect(memory.fact('Recalled')).toHaveText('never');
  expect(await agent.recall('When does the last ferry leave?')).toContain(memory_id);
  expect(await agent.recall('last ferry')).toContain(memory_id);
  // Counted behind the answer.
  await memory.gotoUntil(`/memories/${memory_id}`, async () => expect(await memory.fact('Recalled').innerText()).toMatch(/^2 times, last/));
});

test('a shared memory is marked as reviewed', { tag: ['@phone', '@no-js'] }, async ({ memory, memories }) => {
  const agent = Agent.create(['commons:write']);
  const topic = unique('tide table');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: `The ${topic} hangs in the office.`, scope: 'global', commons: true });
  await memories.goto(`/memories?unreviewed=true&topic=${encodeURIComponent(topic)}`);
  await expect(memories.topics).toHaveText([topic]);
  await memory.open(memory_id);
  await expect(memory.review).toContainText('Shared and unreviewed');
  await memory.send(memory.review.getByRole('button', { name: 'Mark as reviewed' }));
  await expect(memory.flash).toContainText('Reviewed 1 memory: “');
  await expect(memory.review).toContainText('Shared and reviewed');
  await expect(memory.review.getByRole('button')).toHaveCount(0);
  await memories.goto(`/memories?unreviewed=true&topic=${encodeURIComponent(topic)}`);
  await expect(memories.topics).toHaveCount(0);
});

// Once, not on every device: what is shared is near to the questions of other tests.
test('a memory is shared with all agents and made private again', async ({ memory }) => {
  const [agent, other] = [Agent.create(), Agent.create()];
  const topic = unique('spring tide');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: `The ${topic} floods the quay.` });
  await memory.open(memory_id);
  await expect(memory.readers).toContainText(`Only ${agent.slug} reads this memory.`);
  await memory.send(memory.readers.getByRole('button', { name: 'Share with all agents' }));
  await expect(memory.flash).toContainText('Shared 1 memory: “');
  await expect(memory.readers).toHaveCount(0);
  // Other tests share memories, too.
  const found = async (who: Agent) => {
    const { hits } = await who.ask(`What about the ${topic}?`);
    return hits.flatMap((hit) => (hit.source_tag !== 'canonical' && hit.content.includes(topic) ? [hit.memory_id] : []));
  };
  await expect.poll(() => found(other)).toHaveLength(1);
  const [copy = ''] = await found(other);
  await memory.open(copy);
  await expect(memory.readers).toContainText('All agents read this memory.');
  await expect(memory.review).toContainText('Shared and reviewed');
  expect(await memory.overflow()).toBe(0);
  await memory.send(memory.readers.getByRole('button', { name: 'Make private' }));
  await expect(memory.flash).toContainText('Made private: 1 memory: “');
  expect(await found(other)).toEqual([]);
  expect(await found(agent)).toEqual([memory_id]);
});

test('a message leads to the other messages of its session, whatever became of them', { tag: ['@phone', '@no-js'] }, async ({ memory, memories }) => {
  const agent = Agent.create();
  const session = unique('berth');
  const said = ['Idris asked for berth nine.', 'Mina gave him berth ten.', 'Vera wrote it down.'];
  const { messages } = await agent.say(session, said.map((content) => ({ role: 'user', content })));
  await agent.say(unique('elsewhere'), [{ role: 'user', content: 'Nobody asked for a berth here.' }]);
  await agent.forget(messages[1]?.memory_id ?? '', 'a private matter');
  await memory.open(messages[0]?.memory_id ?? '');
  await expect(memory.fact('Session')).toContainText(session);
  await memory.fact('Session').getByRole('link', { name: 'Other messages of this session' }).click();
  await expect(memories.total).toHaveText('3 memories');
  const gone = memories.rows.filter({ hasText: 'berth ten' });
  await expect(gone.getByText('deleted', { exact: true })).toBeVisible();
  await expect(gone.getByRole('link', { name: /^Restore…/ })).toBeVisible();
  await expect(memories.chips.filter({ hasText: 'Archived and deleted too' })).toBeVisible();
  expect(await memories.overflow()).toBe(0);

  await memories.chips.filter({ hasText: 'Archived and deleted too' }).click();
  await expect(memories.total).toHaveText('2 memories');
  await memories.goto(agent.memories({ session }));
  await expect(memories.total).toHaveText('2 memories');
});

test('a long session is listed in pages, and one without live messages says where they are', { tag: '@no-js' }, async ({ memories }) => {
  const agent = Agent.create();
  const [long, brief] = [unique('voyage'), unique('farewell')];
  await agent.say(long, Array.from({ length: 60 }, (_, i) => ({ role: 'user', content: `Entry ${i + 1} of the logbook.` })));
  await memories.goto(agent.memories({ session: long }));
  await expect(memories.total).toHaveText('60 memories, 50 on this page');
  await memories.step('Older').click();
  await expect(memories.total).toHaveText('60 memories, 10 on this page');

  const { messages } = await agent.say(brief, [{ role: 'user', content: 'Nobody waves from the pier.' }]);
  await agent.forget(messages[0]?.memory_id ?? '', 'a private matter');
  await memories.goto(agent.memories({ session: brief }));
  await expect(memories.empty).toContainText('No memory matches these filters');
  await memories.empty.getByRole('link', { name: 'Include archived and deleted' }).click();
  await expect(memories.total).toHaveText('1 memory');
  await expect(memories.rows).toContainText('Nobody waves');
});
