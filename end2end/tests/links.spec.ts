import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('a contradicting memory is shown with its source', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const [here, against] = [unique('tide'), unique('ebb')];
  const [one, other] = await agent.rememberAll([
    { topic_raw: here, content: 'High water is at seven in the morning.' },
    { topic_raw: against, content: 'The almanac puts high water at nine.', source: { platform: 'drive', channel_id: 'D-almanac' } },
  ]);
  await agent.link(one?.memory_id ?? '', 'contradicts', other?.memory_id ?? '');
  await memory.open(one?.memory_id ?? '');
  await expect(memory.content).toHaveText('High water is at seven in the morning.');
  await expect(memory.contradictions.getByRole('heading')).toHaveText('Contradicted by 1 other memory');
  await expect(memory.contradictions).toContainText('The almanac puts high water at nine.');
  await expect(memory.contradictions).toContainText('drive · D-almanac');
  await memory.contradictions.getByRole('link', { name: against }).click();
  await expect(memory.heading).toHaveText(against);
  await expect(memory.contradictions).toContainText('High water is at seven in the morning.');
  await expect(memory.main.getByText('contradicted', { exact: true }).first()).toBeVisible();
});

test('a contradiction is resolved where it is shown, and that can be undone', { tag: ['@phone', '@no-js'] }, async ({ memories, memory, agent }) => {
  const [here, against] = [unique('tide'), unique('ebb')];
  const [one, other] = await agent.rememberAll([
    { topic_raw: here, content: 'High water is at seven in the morning.' },
    { topic_raw: against, content: 'The almanac puts high water at nine.' },
  ]);
  await agent.link(one?.memory_id ?? '', 'contradicts', other?.memory_id ?? '');
  const resolve = async (reason: string, button: string) => {
    await memory.resolve.getByText('Resolve…', { exact: true }).click();
    await memory.resolve.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await memory.send(memory.resolve.getByRole('button', { name: button, exact: true }));
  };
  await memory.open(one?.memory_id ?? '');
  await resolve('The almanac is of last year.', 'Keep this memory');
  await expect(memory.flash).toContainText('which is superseded.');
  await expect(memory.contradictions).toHaveCount(0);
  await expect(memory.trail.filter({ hasText: 'Reason: The almanac is of last year.' })).toHaveCount(1);
  expect(await agent.recall(against)).not.toContain(other?.memory_id);
  await memory.send(memory.undo);
  await expect(memory.contradictions).toContainText('The almanac puts high water at nine.');
  expect(await agent.recall(against)).toContain(other?.memory_id);
  await resolve('The almanac is of this year after all.', 'Keep the other one');
  await expect(memory.contradictions).toHaveCount(0);
  await memory.send(memory.undo);

  // The list leads to the open form.
  await memories.goto(agent.memories({ status: 'contradicted' }));
  await expect(memories.heading).toHaveText('Contradictions');
  await expect(memories.rows).toHaveCount(2);
  await memories.resolve(here).click();
  await memory.resolve.getByRole('textbox', { name: 'Reason' }).fill('One was said twice.');
  await memory.send(memory.resolve.getByRole('button', { name: 'Keep this memory', exact: true }));
  await expect(memory.contradictions).toHaveCount(0);
  expect(await agent.recall(against)).not.toContain(other?.memory_id);
  await memory.send(memory.undo);
  await resolve('They are two harbours.', 'Not a contradiction');
  await expect(memory.flash).toContainText('no longer contradict each other.');
  await expect(memory.links).toHaveCount(0);

  const link = memory.linkTo.getByRole('button', { name: 'Link memories', exact: true });
  await memory.linkTo.getByText('Link…', { exact: true }).click();
  await memory.linkTo.getByRole('combobox', { name: 'This memory' }).selectOption('is related to');
  await memory.linkTo.getByRole('textbox', { name: 'Other memory' }).fill('nothing');
  await memory.linkTo.getByRole('textbox', { name: 'Reason' }).fill('Both are about the tide.');
  await memory.send(link);
  await expect(memory.linkTo.getByRole('textbox', { name: 'Other memory' })).toHaveAccessibleDescription(/short id of a memory/);
  await memory.linkTo.getByRole('textbox', { name: 'Other memory' }).fill(other?.memory_id ?? '');
  await memory.send(link);
  await expect(memory.links).toContainText(['is related to']);
});

test('links are drawn and listed in both directions', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const [middle, below, above, gone] = [unique('plan'), unique('ground'), unique('consequence'), unique('draft')];
  const made = await agent.rememberAll([
    { topic_raw: middle, content: 'The quay is rebuilt in spring.' },
    { topic_raw: below, content: 'Divers found three rotten piles.' },
    { topic_raw: above, content: 'Boats winter in the upper harbour.' },
    { topic_raw: gone, content: 'The quay might be rebuilt some day.' },
  ]);
  const [plan, ground, consequence, draft] = made.map(({ memory_id }) => memory_id);
  await agent.link(ground ?? '', 'supports', plan ?? '');
  await agent.link(consequence ?? '', 'derived_from', plan ?? '');
  await agent.link(plan ?? '', 'supersedes', draft ?? '');
  await memory.open(plan ?? '');
  await expect(memory.links).toHaveText([
    new RegExp(`^supersedes.*${gone}.*superseded`),
    new RegExp(`^gave rise to.*${above}`),
    new RegExp(`^is supported by.*${below}`),
  ]);
  await expect(memory.contradictions).toHaveCount(0);
  await expect(memory.graph.getByRole('link')).toHaveCount(3);
  await expect(memory.graph.locator('path[marker-end]')).toHaveCount(3);
  await memory.links.filter({ hasText: below }).getByRole('link').click();
  await expect(memory.heading).toHaveText(below);
  await expect(memory.links).toHaveText([new RegExp(`^supports.*${middle}`)]);
  await memory.graph.getByRole('link', { name: new RegExp(middle) }).click();
  await expect(memory.heading).toHaveText(middle);
});

test('a memory without links has no graph', async ({ memory, agent }) => {
  const { memory_id } = await agent.remember({ topic_raw: unique('lonely'), content: 'The lighthouse stands by itself.' });
  await memory.open(memory_id);
  await expect(memory.graph).toHaveCount(0);
  await expect(memory.main.getByRole('heading', { name: 'Links' })).toHaveCount(0);
});

test('a correction that replaced the words of its speaker can be undone', { tag: ['@phone', '@no-js'] }, async ({ memory }) => {
  const agent = Agent.create(['capture:write']);
  const team = unique('team');
  const told = async () => (await agent.ask(`How many people has the ${team}?`)).hits.map((hit) => hit.content).filter((content) => content.includes(team));
  const [before, after] = [`The ${team} has 7 people.`, `The ${team} has 8 people.`];
  await agent.observe(before, 'fact', 'user');
  await expect.poll(told).toEqual([before]);
  await agent.observe(after, 'correction', 'user');
  await expect.poll(told).toEqual([after]);

  const { hits } = await agent.ask(`How many people has the ${team}?`);
  const [id] = hits.flatMap((hit) => (hit.source_tag !== 'canonical' && hit.content === after ? [hit.memory_id] : []));
  await memory.open(id ?? '');
  await expect(memory.links).toContainText(before);
  await memory.send(memory.undoLink);
  await expect(memory.flash).toContainText('Undone. The memories are as before, and the suggestion waits again.');
  await expect(memory.undoLink).toHaveCount(0);
  expect(await told()).toEqual([before]);
});
