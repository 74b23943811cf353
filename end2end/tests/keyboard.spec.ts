import { expect, SIGNED_OUT, test } from '../support/test';

test('the first tab stop skips the navigation', { tag: '@no-js' }, async ({ frame, page }) => {
  await frame.goto('/memories');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(frame.main).toBeFocused();
  await page.keyboard.press('Tab');
  expect(await frame.main.evaluate((main) => main.contains(document.activeElement))).toBe(true);
});

for (const path of [
  '/',
  '/agents',
  '/memories?topic=staging',
  '/people',
  '/search',
  '/memories/delete',
  '/inbox',
  '/inbox/policy',
  '/capture',
  '/sources',
  '/events',
  '/vocabulary',
  '/vocabulary/terms',
  '/vocabulary/decisions',
  '/prompts',
  '/knowledge',
  '/recall',
  '/recall/contexts',
  '/recall/playground',
  '/recall/playground/context',
  '/recall/diagnose',
  '/audit?action=operator.',
  '/nowhere',
]) {
  test(`every tab stop on ${path} has a visible outline`, async ({ frame, page, gate }) => {
    gate.expect(404);
    await frame.goto(path);
    const stops = new Set<string>();
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const element = document.activeElement;
        if (!(element instanceof HTMLElement) || element === document.body) return null;
        const style = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        // A part of a field that the browser draws itself, the button of a calendar, has the browser's own ring.
        const outlined = !element.matches(':focus') || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2);
        return { name: element.outerHTML.slice(0, 160), visible: outlined && box.width > 0 && box.height > 0 };
      });
      // After the last stop the focus leaves the page.
      if (!stop) break;
      expect(stop.visible, stop.name).toBe(true);
      stops.add(stop.name);
    }
    expect(stops.size).toBeGreaterThan(1);
  });
}

test.describe('without a session', () => {
  test.use({ storageState: SIGNED_OUT });

  test('the sign-in form works without a mouse', async ({ signIn, page }) => {
    await signIn.goto('/sign-in');
    await expect(signIn.login).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(signIn.password).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(signIn.button).toBeFocused();
  });
});

test.describe('on a phone', () => {
  test('the menu opens, and closes when a page is chosen', { tag: '@only-phone' }, async ({ frame, page }) => {
    await frame.goto('/agents');
    const link = page.getByRole('link', { name: 'Audit', exact: true }).filter({ visible: true });
    await expect(link).toHaveCount(0);
    await frame.menu.click();
    await link.click();
    await expect(page).toHaveURL('/audit');
    await expect(frame.heading).toHaveText('Audit');
    await expect(link).toHaveCount(0);
  });
});
