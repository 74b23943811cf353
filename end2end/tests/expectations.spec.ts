import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

const QUESTION = 'Who won the chess tournament in Reykjavik?';

test('a recall that found nothing becomes an expectation, and passes once the memory says so', { tag: ['@phone', '@no-js'] }, async ({ health, expectations }) => {
  const agent = Agent.create();
  const set = unique('chess');
  const { memory_id } = await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  await agent.ask(QUESTION, { expected: true });
  await health.gotoUntil(`/recall?agent=${agent.id}`, async () => expect(await health.items.count()).toBe(1));
  await health.item(QUESTION).getByRole('link', { name: 'This should have been found' }).click();
  await expect(expectations.heading).toHaveText('New expectation');
  await expect(expectations.question).toHaveValue(QUESTION);
  await expect(expectations.agent.getByRole('option', { selected: true })).toHaveText(agent.slug);
  await expectations.memories.fill(memory_id);
  await expectations.newSet.fill(set);
  await expectations.send(expectations.add);
  await expect(expectations.heading).toHaveText(set);
  await expect(expectations.rows).toContainText('not run yet');

  await expectations.runUntil('0 of 1');
  await expect(expectations.rows).toContainText('not met');
  await agent.revise(memory_id, 'Idris won the chess tournament in Reykjavik.');
  await expectations.runUntil('1 of 1');
  await expect(expectations.rows).toContainText('newly met');
  await expect(expectations.chart).toHaveAccessibleName(/^2 runs; first: recall 0\.000, .*; last: recall 1\.000, /);
  await expectations.goto('/quality');
  await expectations.page.getByTestId('last-runs').getByRole('link', { name: 'Expectations' }).click();
  await expect(expectations.row(set)).toContainText('1 of 1');

  await agent.forget(memory_id, 'it was a test');
  await expectations.row(set).getByRole('link', { name: set, exact: true }).click();
  await expect(expectations.rows).toContainText('memory gone');
  await expectations.unfoldDelete.click();
  await expectations.send(expectations.delete);
  await expect(expectations.flash).toContainText(`Deleted the set “${set}”`);
  await expect(expectations.row(set)).toHaveCount(0);
});

test('a refused expectation keeps its text and names the field', { tag: '@no-js' }, async ({ expectations, agent, gate }) => {
  gate.expect(400);
  await expectations.goto(`/quality/expectations/new?${new URLSearchParams({ agent: agent.id, q: QUESTION, from: 'playground' })}`);
  await expectations.memories.fill('aaaaaaaa');
  await expectations.newSet.fill(unique('chess'));
  await expectations.send(expectations.add);
  await expect(expectations.memories).toHaveAccessibleDescription(/aaaaaaaa, and no memory of this organisation has that id/);
  await expect(expectations.question).toHaveValue(QUESTION);
});

test('the log, the playground and a diagnosis lead to the form', { tag: '@no-js' }, async ({ expectations, retrieval, agent, gate }) => {
  // The log is written a moment behind the answer.
  gate.expect(404);
  const { memory_id } = await agent.remember({ topic_raw: unique('sextant'), content: 'The sextant hangs in the chart room.' });
  const question = 'Where does the sextant hang?';
  const { retrieval_id } = await agent.ask(question);
  await retrieval.open(retrieval_id);
  for (const [path, from] of [
    [`/recall/log/${retrieval_id}`, 'retrieval'],
    [`/recall/playground?${new URLSearchParams({ agent: agent.id, q: question })}`, 'playground'],
    [`/recall/diagnose?${new URLSearchParams({ agent: agent.id, q: question, memory: memory_id })}`, 'diagnosis'],
  ] as const) {
    await expectations.goto(path);
    await expectations.open.click();
    await expect.poll(() => expectations.query()).toMatchObject({ agent: agent.id, q: question, from });
    await expect(expectations.question).toHaveValue(question);
    await expect(expectations.memories).toHaveValue(from === 'diagnosis' ? memory_id : '');
  }
});
