import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

const QUESTION = 'Who keeps the key of the boathouse?';

test('a deleted memory is named as such, with the way to restore it', { tag: ['@phone', '@no-js'] }, async ({ diagnosis, memory, health }) => {
  const agent = Agent.create();
  const { memory_id, short_id } = await agent.remember({ topic_raw: 'boathouse', content: 'Idris keeps the key of the boathouse.' });
  await agent.forget(memory_id, 'it is lost');
  await memory.open(memory_id);
  await memory.whyNot.click();
  await expect(diagnosis.heading).toHaveText('Diagnose');
  await expect(diagnosis.memory).toHaveValue(short_id);
  await expect(diagnosis.agent).toHaveValue(agent.id);
  await diagnosis.question.fill(QUESTION);
  await diagnosis.ask.click();
  await expect(diagnosis.verdict.getByRole('heading')).toHaveText(new RegExp(`^${agent.slug} does not get this memory: it was deleted on \\d+ \\w+ \\d+`));
  await expect.poll(() => diagnosis.query()).toEqual({ agent: agent.id, memory: short_id, q: QUESTION });
  await expect(diagnosis.gate('Deletion')).toContainText('stopped');
  await expect(diagnosis.gate('Status')).toContainText('passed');
  await expect(diagnosis.gate('Words')).toContainText('It shares');
  await expect(diagnosis.gate('Candidates')).toContainText('not checked');
  await expect(diagnosis.numbers).toContainText(/Similarity\s*0\.\d\d/);
  await diagnosis.verdict.getByRole('link', { name: 'Open the memory' }).click();
  await expect(memory.deleted).toBeVisible();
  await health.goto(`/recall?agent=${agent.id}`);
  await expect(health.empty).toBeVisible();
});

test('a memory that gets through has its rank', { tag: '@no-js' }, async ({ diagnosis }) => {
  const agent = Agent.create();
  const { short_id } = await agent.remember({ topic_raw: 'boathouse', content: 'Idris keeps the key of the boathouse.' });
  await diagnosis.open(agent.id, short_id, QUESTION);
  await expect(diagnosis.verdict).toContainText(`${agent.slug} gets this memory at rank 1 of`);
  await expect(diagnosis.gates.getByText('stopped', { exact: true })).toHaveCount(0);
  await expect(diagnosis.numbers).toContainText(/Score\s*\d\.\d\d/);
});

test('what mends it is one click away', { tag: '@no-js' }, async ({ diagnosis, playground }) => {
  const agent = Agent.create();
  await agent.rememberAll([
    { topic_raw: 'boathouse', content: 'Idris keeps the key of the boathouse.' },
    { topic_raw: 'spare key', content: 'The spare key of the boathouse lies under the mat.' },
  ]);
  await playground.goto(`/recall/playground?agent=${agent.id}&q=${encodeURIComponent(QUESTION)}&k=1`);
  await playground.candidate('spare key').getByRole('link', { name: 'Why was it left out?' }).click();
  await expect(diagnosis.verdict).toContainText('it has rank 2, and the recall asks for 1 hit.');
  await diagnosis.verdict.getByRole('link', { name: 'Diagnose with 2 hits' }).click();
  await expect(diagnosis.verdict).toContainText('gets this memory at rank 2 of 2');
  await expect(diagnosis.k).toHaveValue('2');
});

test('a memory of another user leads to the question on their behalf', { tag: '@no-js' }, async ({ diagnosis }) => {
  const agent = Agent.create();
  const mina = unique('mina');
  const { short_id } = await agent.remember({ topic_raw: 'boathouse', content: 'Mina keeps the key of the boathouse.', user_id: mina });
  await diagnosis.open(agent.id, short_id, QUESTION);
  await expect(diagnosis.gate('User')).toContainText('stopped');
  await expect(diagnosis.gate('User')).toContainText(`It belongs to the user ${mina},`);
  await diagnosis.verdict.getByRole('link', { name: 'Diagnose for this user' }).click();
  await expect(diagnosis.verdict).toContainText('gets this memory at rank 1');
});

test('a recall of the log leads to a diagnosis', { tag: '@no-js' }, async ({ diagnosis, retrieval, gate }) => {
  // The log is written a moment behind the answer.
  gate.expect(404);
  const agent = Agent.create();
  const { short_id } = await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  const { retrieval_id } = await agent.ask('Who won the chess tournament in Reykjavik?');
  await retrieval.open(retrieval_id);
  await retrieval.diagnose.click();
  await expect(diagnosis.question).toHaveValue('Who won the chess tournament in Reykjavik?');
  await expect(diagnosis.empty).toContainText('Which memory is missing?');
  await diagnosis.memory.fill(short_id);
  await diagnosis.ask.click();
  await expect(diagnosis.verdict).toContainText('it is not relevant enough, by meaning or by words');
});

test('an unknown memory is no error', { tag: '@no-js' }, async ({ diagnosis, agent }) => {
  await diagnosis.open(agent.id, 'zzzzzzzz', QUESTION);
  await expect(diagnosis.verdict).toContainText('No memory of this organisation has this id.');
  await expect(diagnosis.gate('Organisation')).toContainText('stopped');
  await expect(diagnosis.numbers).toHaveCount(0);
});

test('every field is checked', { tag: '@no-js' }, async ({ diagnosis }) => {
  await diagnosis.goto('/recall/diagnose?q=tea&memory=tea+leaves&k=101');
  await expect(diagnosis.error).toContainText('Choose an agent.');
  await expect(diagnosis.memory).toHaveAccessibleDescription('Enter the short id of eight letters and digits, or the UUID.');
  await expect(diagnosis.k).toHaveAccessibleDescription('A number from 1 to 100.');
});
