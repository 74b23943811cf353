import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

const SCOPE = ['context:read'];

/** A conversation that does not fit into 1,200 tokens. */
function turns(): { role: string; content: string }[] {
  return Array.from({ length: 60 }, (_, n) => ({ role: 'user', content: `In turn ${n} somebody says that the heron stands on one leg. Nobody knows why.` }));
}

test('the log lists contexts, and the address filters them', { tag: ['@phone', '@no-js'] }, async ({ contexts }) => {
  const agent = Agent.create(SCOPE);
  const [plain, cut] = [unique('Where does the heron stand'), unique('Why does the heron stand')];
  await agent.assemble(plain);
  await agent.assemble(cut, { turns: turns(), budget: 1200 });
  await contexts.openWith(agent.id, 2);
  await expect(contexts.total).toHaveText('2 contexts');
  await expect(contexts.rows.getByRole('link')).toHaveText([cut, plain]);
  await expect(contexts.row(cut).getByText(/^cut by [\d,]+ tokens$/)).toBeVisible();
  await expect(contexts.row(plain).getByText(/^cut by/)).toHaveCount(0);

  await contexts.budget.selectOption('Cut to fit');
  await contexts.apply.click();
  await expect(contexts.rows.getByRole('link')).toHaveText([cut]);
  await expect.poll(() => contexts.query()).toEqual({ agent: agent.id, cut: 'true' });
  await contexts.goto(`/recall/contexts?agent=${agent.id}&degraded=true`);
  await expect(contexts.empty).toContainText('No context matches these filters');
  await contexts.goto('/recall/contexts?cut=perhaps&from=2026-05-02&until=2026-05-01');
  await expect(contexts.budget).toHaveAccessibleDescription('Choose one of the options.');
  await expect(contexts.until).toHaveAccessibleDescription('The end is before the beginning.');
});

test('a context shows its blocks, what was cut, and where each line comes from', { tag: ['@phone', '@no-js'] }, async ({ assembled, memory, gate }) => {
  // The log is written a moment behind the answer.
  gate.expect(404);
  const agent = Agent.create(SCOPE);
  const topic = unique('kestrel');
  await agent.remember({ topic_raw: topic, content: 'The kestrel is called Kes.' });
  const query = unique('What is the kestrel called');
  const { id, cut } = await agent.assemble(query, { system_prompt: 'You are atlas.', turns: turns(), budget: 1200 });
  await assembled.open(id);
  await expect(assembled.heading).toHaveText(query);
  await expect(assembled.bar).toBeVisible();
  await expect(assembled.blocks.first()).toContainText('System prompt');
  await expect(assembled.stable).toContainText('Stable prefix');
  await expect(assembled.cut).toContainText(`40 older turns became one message, ${cut[0]?.tokens.toLocaleString('en')} tokens saved`);
  await expect(assembled.part('System prompt')).toContainText('You are atlas.');
  await assembled.part('Facts').getByRole('link', { name: topic }).click();
  await expect(memory.heading).toHaveText(topic);
});

test('the text of a context with a deleted memory is folded away', { tag: '@no-js' }, async ({ assembled, gate }) => {
  gate.expect(404);
  const agent = Agent.create(SCOPE);
  const { memory_id } = await agent.remember({ topic_raw: unique('vault'), content: 'The vault code is swordfish.' });
  const { id, text } = await agent.assemble('vault code');
  expect(text).toContain('swordfish');
  await agent.forget(memory_id, 'it changed');
  await assembled.open(id);
  await expect(assembled.withheld).toContainText('Agents no longer get the text.');
  await expect(assembled.main.getByText('swordfish')).not.toBeVisible();
});

test('two contexts are compared, and one with today', { tag: '@no-js' }, async ({ contexts, contextComparison, assembled }) => {
  const agent = Agent.create(SCOPE);
  const [one, other] = [unique('kestrel'), unique('kestrel')];
  await agent.remember({ topic_raw: 'kestrel', content: 'The kestrel is called Kes.' });
  await agent.assemble(one);
  await agent.remember({ topic_raw: 'tower', content: 'The kestrel lives in the north tower.' });
  const { id } = await agent.assemble(other);
  await contexts.openWith(agent.id, 2);
  await contexts.select(one);
  await contexts.select(other);
  await contexts.send(contexts.compare);
  await expect(contextComparison.later).toContainText(agent.slug);
  await expect(contextComparison.lines.locator('ins').filter({ hasText: 'north tower' })).toHaveCount(1);
  // What other tests share takes places, too, so the number of tokens may rise, fall or stay.
  const cells = await contextComparison.pairs.filter({ hasText: 'Facts' }).getByRole('cell').allInnerTexts();
  const [earlier = NaN, later = NaN, change = NaN] = cells.slice(-3).map((text) => Number(text.replace('−', '-').replace(/[^\d-]/g, '')));
  expect(change).toBe(later - earlier);
  await assembled.open(id);
  await assembled.compare.click();
  await expect(contextComparison.later).toContainText("today's assembly");
});

test('the playground assembles a context and leaves no trace', { tag: ['@phone', '@no-js'] }, async ({ contextPlayground, contexts }) => {
  const agent = Agent.create(SCOPE);
  const topic = unique('kestrel');
  await agent.remember({ topic_raw: topic, content: 'The kestrel is called Kes.' });
  await contextPlayground.goto('/recall/playground/context');
  await expect(contextPlayground.empty).toContainText('No context yet');
  await contextPlayground.agent.selectOption(agent.slug);
  await contextPlayground.question.fill('What is the kestrel called?');
  await contextPlayground.assemble.click();
  await expect(contextPlayground.part('Facts')).toContainText('called Kes');
  await expect(contextPlayground.timings.first()).toContainText(/\d (ms|s)$/);
  await contextPlayground.goto(`/recall/playground/context?agent=${agent.id}&q=kestrel&tiers=none`);
  await expect(contextPlayground.blocks).toHaveCount(1);
  await contextPlayground.goto('/recall/playground/context?q=tea&budget=99');
  await expect(contextPlayground.budget).toHaveAccessibleDescription('A number of tokens from 100 to 1000000.');
  await contexts.goto(`/recall/contexts?agent=${agent.id}`);
  await expect(contexts.empty).toBeVisible();
});
