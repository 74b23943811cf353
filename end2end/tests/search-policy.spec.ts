import { Agent } from '../support/agent';
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
