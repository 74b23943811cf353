import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('a weight that is no number is refused at its field', { tag: ['@phone', '@no-js'] }, async ({ searchPolicy }) => {
  await searchPolicy.goto('/recall/policy');
  await expect(searchPolicy.field('Similarity')).toHaveValue('0.5');
  await searchPolicy.field('Recency').fill('often');
  await searchPolicy.field('Minimum similarity').fill('2');
  await searchPolicy.send(searchPolicy.saveWeights);
  await expect(searchPolicy.main).toContainText('Enter a number from 0 to 1.');
  await expect(searchPolicy.field('Minimum similarity')).toHaveValue('2');
  await searchPolicy.goto('/recall/policy');
  await expect(searchPolicy.field('Recency')).toHaveValue('0.2');
  await searchPolicy.send(searchPolicy.saveWeights);
  await expect(searchPolicy.flash).toContainText('The weights were saved.');
});

test('the hits with other weights are shown before these are saved', { tag: ['@phone', '@no-js'] }, async ({ searchPolicy, agent }) => {
  const topic = unique('rudder');
  await agent.remember({ topic_raw: topic, content: `The ${topic} is made of oak.` });
  await searchPolicy.goto(`/recall/policy?agent=${agent.id}`);
  await searchPolicy.question.fill(topic);
  await searchPolicy.show.click();
  await expect(searchPolicy.page.getByRole('region', { name: 'With the weights in force' })).toContainText(topic);
  await expect(searchPolicy.verdict).toHaveText('The same hits in the same order.');
  await searchPolicy.field('Minimum similarity to try').fill('1');
  await searchPolicy.show.click();
  await expect(searchPolicy.verdict).toHaveText('The hits or their order differ.');
  await expect(searchPolicy.main).toContainText('no longer a hit');
  await expect(searchPolicy.main).toContainText('These weights are not saved yet.');
  await expect(searchPolicy.field('Minimum similarity')).toHaveValue('1');
  await searchPolicy.goto('/recall/policy');
  await expect(searchPolicy.field('Minimum similarity')).toHaveValue('');
  await expect(searchPolicy.main).not.toContainText('not saved yet');
});

test('an agent gets the categories of documents that are relevant to it', { tag: ['@phone', '@no-js'] }, async ({ searchPolicy }) => {
  const agent = Agent.create();
  await searchPolicy.goto(`/recall/policy?agent=${agent.id}`);
  await searchPolicy.categories.fill('adr, handbook');
  await searchPolicy.send(searchPolicy.saveCategories);
  await expect(searchPolicy.flash).toContainText('The categories were saved.');
  await expect(searchPolicy.categories).toHaveValue('adr, handbook');
  await searchPolicy.categories.fill('x'.repeat(300));
  await searchPolicy.send(searchPolicy.saveCategories);
  await expect(searchPolicy.categories).toHaveAttribute('aria-invalid', 'true');
  await searchPolicy.goto(`/recall/policy?agent=${agent.id}`);
  await expect(searchPolicy.categories).toHaveValue('adr, handbook');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('reads the weights and is offered no form', { tag: '@no-js' }, async ({ searchPolicy }) => {
    await searchPolicy.goto('/recall/policy');
    await expect(searchPolicy.policy).toContainText('Source priority');
    await expect(searchPolicy.saveWeights).toHaveCount(0);
  });
});
