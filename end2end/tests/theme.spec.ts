import { expect, SIGNED_OUT, test } from '../support/test';

test.use({ colorScheme: 'light' });

test('a theme applies at once and is kept', { tag: ['@phone', '@no-js'] }, async ({ frame, page, javaScriptEnabled }) => {
  const root = page.locator('html');
  const ground = () => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  const choose = async (name: 'System' | 'Light' | 'Dark') => {
    await frame.openAccount();
    const button = frame.theme(name).filter({ visible: true });
    if (javaScriptEnabled) {
      const kept = page.waitForResponse((response) => response.url().endsWith('/console/api/set_theme'));
      await button.click();
      await kept;
    } else {
      await frame.send(button);
    }
  };

  await frame.goto('/audit?action=memory.');
  const light = await ground();
  await choose('Dark');
  await expect(root).toHaveAttribute('data-theme', 'dark');
  const dark = await ground();
  expect(dark).not.toBe(light);
  await expect(page).toHaveURL('/audit?action=memory.');

  // The server knows: the page comes dark, it does not turn dark.
  const response = await frame.goto('/agents');
  expect(await response.text()).toMatch(/<html[^>]* data-theme="dark"/);
  expect(await ground()).toBe(dark);

  await page.emulateMedia({ colorScheme: 'dark' });
  await choose('Light');
  await frame.goto('/memories');
  expect(await ground()).toBe(light);

  await choose('System');
  await expect(root).not.toHaveAttribute('data-theme');
  await frame.goto('/memories');
  await expect(root).not.toHaveAttribute('data-theme');
  expect(await ground()).toBe(dark);
});

test.describe('without a session', () => {
  test.use({ storageState: SIGNED_OUT });

  test('the page follows the system, or the theme chosen before', { tag: '@no-js' }, async ({ signIn, page, context, baseURL }) => {
    await signIn.goto('/sign-in');
    await expect(page.locator('html')).not.toHaveAttribute('data-theme');
    await context.addCookies([{ name: 'rmb-theme', value: 'dark', url: baseURL ?? '' }]);
    await signIn.goto('/sign-in');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  });
});
