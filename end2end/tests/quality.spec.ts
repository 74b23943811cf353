import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('a memory that an answer uses counts', { tag: ['@phone', '@no-js'] }, async ({ quality }) => {
  const agent = Agent.create(['context:read']);
  const boat = unique('lantern');
  await agent.remember({ topic_raw: 'deploy day', content: `The ${boat} service is deployed on Fridays.` });
  await agent.remember({ topic_raw: 'hull colour', content: `Idris paints the hull of the ${boat} green.` });
  const context = await agent.assemble(`Which day is the ${boat} service deployed, and who paints its hull?`);
  // Shared memories may be among those that the context holds.
  const { injected, used } = await agent.report(context.id, `The ${boat} service is deployed every Friday.`);
  expect(injected).toBeGreaterThanOrEqual(2);
  expect(used).toHaveLength(1);
  await quality.goto(`/quality?agent=${agent.id}`);
  await expect(quality.measures).toHaveCount(5);
  await expect(quality.measure('Context utilisation')).toContainText(`1 of ${injected} memories used, 1 answer reported`);
  await expect(quality.measure('Context utilisation').getByRole('img')).toHaveAccessibleName(/^Context utilisation by day, 30 days; highest on/);
  const verdict = injected < 20 ? 'too few to judge' : 'needs attention';
  await expect(quality.measure('Context utilisation').getByTestId('verdict')).toHaveText(new RegExp(`^${verdict}\\s*Good: at least 20 %\\.$`));
  await expect(quality.measure('Observation rate')).toContainText('0 observations, 1 context');
  await expect(quality.measure('Correction rate')).toContainText('No data in this period.');
});

test('a filter keeps its period, and one without data says so', { tag: ['@phone', '@no-js'] }, async ({ quality }) => {
  const agent = Agent.create();
  await quality.goto(`/quality?agent=${agent.id}`);
  await quality.main.getByLabel('Period').selectOption('90 days');
  await quality.apply.click();
  await expect(quality.page).toHaveURL(/days=90/);
  await expect(quality.main).toContainText('Nothing to measure');
  await quality.goto('/quality?days=8');
  await expect(quality.main).toContainText('Choose one of the periods.');
});
