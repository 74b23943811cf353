import { expect, SIGNED_OUT, test } from '../support/test';

test.beforeEach(({ gate }) => gate.expect(404));

test('an unknown address says so and links to the memories', { tag: ['@phone', '@no-js'] }, async ({ frame, page }) => {
  const response = await frame.goto('/nowhere/nobody');
  expect(response.status()).toBe(404);
  await expect(frame.heading).toHaveText('Page not found');
  await expect(page).toHaveTitle('Not found · Remembrancer');
  await frame.main.getByRole('link', { name: 'Memories' }).click();
  await expect(frame.heading).toHaveText('Memories');
});

for (const [what, id] of [
  ['an unknown memory', '0198f000-0000-7000-8000-000000000000'],
  ['something that is no id', 'tea'],
]) {
  test(`${what} is not found, and the navigation stays`, { tag: '@no-js' }, async ({ memory }) => {
    const response = await memory.open(id ?? '');
    expect(response.status()).toBe(404);
    await expect(memory.error).toContainText('Not found');
    await expect(memory.content).toHaveCount(0);
    await expect(memory.account).toBeVisible();
    await memory.error.getByRole('link', { name: 'All memories' }).click();
    await expect(memory.heading).toHaveText('Memories');
  });
}

test.describe('without a session', () => {
  test.use({ storageState: SIGNED_OUT });

  test('an unknown address does not ask for a session', async ({ frame }) => {
    const response = await frame.goto('/nowhere/at/all');
    expect(response.status()).toBe(404);
    await expect(frame.heading).toHaveText('Page not found');
  });
});
