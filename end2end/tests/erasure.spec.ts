import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('an erasure waits for another admin, and can be withdrawn', { tag: ['@phone', '@no-js'] }, async ({ frame, page }) => {
  const [agent, user] = [Agent.create(), crypto.randomUUID()];
  const name = unique('Lindt');
  await agent.remember({ topic_raw: unique('tea'), content: `${name} likes tea.`, user_id: user });
  await agent.remember({ topic_raw: unique('lunch'), content: `Ask ${name} about lunch.` });
  await frame.goto('/erasure');
  await page.getByLabel('Person', { exact: true }).first().fill(user);
  await page.getByLabel('Names, one on each line').fill(name);
  await frame.send(page.getByRole('button', { name: 'Preview' }));
  await expect(page.getByLabel('Names, one on each line')).toHaveValue(name);
  await expect(page.getByTestId('found')).toContainText(`“${name}”: 1 record`);
  await page.getByText('Show tables').click();
  await expect(page.getByRole('table', { name: 'Rows of the person' })).toContainText('Versions of memories');
  await expect(page.getByTestId('mention')).toContainText([`Ask ${name} about lunch.`]);
  const mention = page.getByRole('checkbox', { name: 'This memory and its versions' });
  await mention.check();
  await page.getByLabel('Reason').fill(`Case of ${name}`);
  await frame.send(page.getByRole('button', { name: 'Request erasure' }));
  await expect(frame.flash).toContainText('names the person');
  await expect(mention).toBeChecked();
  await page.getByLabel('Reason').fill('Article 17, case 31');
  await frame.send(page.getByRole('button', { name: 'Request erasure' }));
  await expect(frame.flash).toContainText('Another admin must confirm it.');
  await page.getByTestId('erasure').filter({ hasText: user }).getByRole('link', { name: 'Article 17, case 31' }).click();
  await expect(page.getByRole('button', { name: 'Erase this person' })).toHaveCount(0);
  await expect(page.getByText('You requested it. Another admin must confirm it.')).toBeVisible();
  await frame.send(page.getByRole('button', { name: 'Withdraw request' }));
  await expect(frame.flash).toContainText('Withdrawn. Nothing was erased.');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('is not offered an erasure', { tag: '@no-js' }, async ({ frame, gate }) => {
    gate.expect(403);
    await frame.goto('/erasure');
    await expect(frame.error).toContainText('Your role does not allow this');
  });
});
