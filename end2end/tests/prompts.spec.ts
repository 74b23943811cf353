import { expect, test } from '../support/test';

test('all prompts are shown with their versions', { tag: ['@phone', '@no-js'] }, async ({ prompts, javaScriptEnabled }) => {
  await prompts.goto('/prompts');
  await expect(prompts.heading).toHaveText('Prompts');
  await expect(prompts.prompts).toHaveCount(6);
  for (const name of ['recall', 'write', 'write_confirming', 'vocabulary', 'capture', 'decision_points']) await expect(prompts.prompts.getByText(name, { exact: true })).toBeVisible();
  await expect(prompts.prompts.getByText(/^version \d+$/)).toHaveCount(6);
  await expect(prompts.texts).toHaveCount(6);
  for (const text of await prompts.texts.allInnerTexts()) expect(text.length).toBeGreaterThan(200);
  await expect(prompts.texts.first()).toContainText('agent_memory_');
  await expect(prompts.texts.first()).toHaveCSS('white-space-collapse', 'preserve');
  if (!javaScriptEnabled) await expect(prompts.copy).toHaveCount(0);
});

test('a click copies the whole text', async ({ prompts, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await prompts.goto('/prompts');
  await prompts.copy.nth(1).click();
  await expect(prompts.copy.nth(1)).toHaveText('Copied');
  await expect(prompts.copy.nth(0)).toHaveText('Copy');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await prompts.texts.nth(1).evaluate((text) => text.textContent));
});

test('where copying is not allowed the text is selected', async ({ prompts, page }) => {
  await page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
  await prompts.goto('/prompts');
  const button = prompts.prompts.first().getByRole('button');
  await button.click();
  await expect(button).toHaveText('Selected: copy it with the keyboard');
  expect(await page.evaluate(() => getSelection()?.toString().length ?? 0)).toBeGreaterThan(200);
});
