import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('every step of a recall is shown, and nothing is logged', { tag: ['@phone', '@no-js'] }, async ({ playground, health, memory }) => {
  const agent = Agent.create();
  const [parking] = await agent.rememberAll([
    { topic_raw: 'parking', content: 'Visitors leave their cars in the yard behind the bakery.' },
    { topic_raw: 'lunch', content: 'The canteen has soup on Mondays.' },
  ]);
  const question = 'Where can guests park their car?';
  await playground.goto('/recall/playground');
  await playground.agent.selectOption(agent.slug);
  await playground.question.fill(question);
  await playground.ask.click();
  await expect(playground.total).toContainText('reached the floor');
  await expect.poll(() => playground.query()).toEqual({ agent: agent.id, q: question });
  await expect(playground.question).toHaveValue(question);
  await expect(playground.word('Question')).toHaveText(question);
  await expect(playground.word('Searched for')).not.toBeEmpty();
  await expect(playground.timings.first()).toContainText(/\d (ms|s)$/);

  const found = playground.candidate('parking');
  await expect(found).toContainText('private');
  await expect(found.getByText('in the answer').filter({ visible: true })).toBeVisible();
  await expect(found.getByText(/^Similarity\s*0\.\d\d ≥ 0\.\d\d$/).filter({ visible: true })).toBeVisible();
  await expect(playground.candidate('lunch').getByText(/below the floor|in the answer/).filter({ visible: true })).toBeVisible();
  await expect(playground.silent).toHaveCount(0);

  await memory.open(parking?.memory_id ?? '');
  await expect(memory.fact('Recalled')).toHaveText('never');
  await health.goto(`/recall?agent=${agent.id}`);
  await expect(health.empty).toBeVisible();
});

test('the limit of hits cuts what passed the relevance floor', { tag: '@no-js' }, async ({ playground }) => {
  const agent = Agent.create();
  await agent.rememberAll([
    { topic_raw: 'cars', content: 'Visitors leave their cars in the yard behind the bakery.' },
    { topic_raw: 'bicycles', content: 'Visitors leave their bicycles in the yard behind the bakery, too.' },
  ]);
  await playground.goto(`/recall/playground?agent=${agent.id}&q=where+do+visitors+leave+their+cars&k=1`);
  await expect(playground.total).toContainText('1 hit;');
  await expect(playground.k).toHaveValue('1');
  await expect(playground.candidates.getByText('in the answer').filter({ visible: true })).toHaveCount(1);
  await expect(playground.candidate('bicycles').getByText('over the hit limit').filter({ visible: true })).toBeVisible();
});

test('the canonical term of the question is shown', { tag: '@no-js' }, async ({ playground, agent }) => {
  await playground.goto(`/recall/playground?agent=${agent.id}&q=stage-db`);
  await expect(playground.word('Resolved to')).toHaveText('staging database');
  await expect(playground.word('Vocabulary')).toContainText(/version \d/);
});

test('a recall without a hit is explained', { tag: ['@phone', '@no-js'] }, async ({ playground }) => {
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  await playground.goto(`/recall/playground?agent=${agent.id}&q=Who+won+the+chess+tournament+in+Reykjavik`);
  await expect(playground.silent.getByRole('heading')).toHaveText('No memory found: all below the floor');
  await expect(playground.silent.getByRole('list', { name: 'Near misses' })).toContainText(/-?0\.\d\d < 0\.\d\d/);
  await expect(playground.candidates.first().getByText('below the floor').filter({ visible: true })).toBeVisible();
});

test('a candidate links to its memory or document', { tag: '@no-js' }, async ({ playground, memory, document }) => {
  const agent = Agent.create();
  const word = unique('theodolite').replace(' ', '');
  await agent.remember({ topic_raw: word, content: `The ${word} belongs to the surveyor.` });
  const title = unique('Instruments');
  await agent.ingest(unique('e2e'), [{ path: 'instruments.md', content: `# ${title}\n\nThe ${word} is calibrated by the surveyor each spring.\n` }]);
  const address = `/recall/playground?agent=${agent.id}&q=${word}+surveyor`;
  await playground.goto(address);
  await playground.candidates.filter({ hasText: 'private' }).first().getByRole('link').click();
  await expect(memory.heading).toHaveText(word);
  await playground.goto(address);
  await playground.candidate(new RegExp(title)).first().getByRole('link').click();
  await expect(document.heading).toHaveText(title);
});

test('everything that an agent can send is offered', { tag: ['@phone', '@no-js'] }, async ({ playground }) => {
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'harbour', content: 'The harbour master keeps the keys.', kind: 'decision' });
  await agent.remember({ topic_raw: 'harbour', content: 'The harbour has three piers.' });
  await playground.goto(`/recall/playground?agent=${agent.id}&q=harbour`);
  await expect(playground.candidate('harbour')).toHaveCount(2);
  await playground.options.click();
  await playground.ranking.selectOption('decay');
  await playground.kind.selectOption('decision');
  await playground.ask.click();
  await expect(playground.candidate('harbour')).toHaveCount(1);
  await expect(playground.candidate('harbour')).toContainText('master');
  await expect(playground.ranking).toHaveValue('decay');
});

test('an agent is required', { tag: '@no-js' }, async ({ playground }) => {
  await playground.goto('/recall/playground');
  await playground.question.fill('tea');
  await playground.ask.click();
  await expect(playground.error).toContainText('Choose an agent.');
  await playground.goto(`/recall/playground?q=tea&k=101&ranking=best`);
  await expect(playground.k).toHaveAccessibleDescription('A number from 1 to 100.');
  await expect(playground.ranking).toHaveAccessibleDescription('Choose one of the rankings.');
});
