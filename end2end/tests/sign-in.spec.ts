import { credentials } from '../support/environment';
import { another, enter, expect, SIGNED_OUT, test } from '../support/test';

test.describe('signing in', () => {
  test.use({ storageState: SIGNED_OUT });

  test('the right password opens the console', { tag: '@no-js' }, async ({ signIn, overview }) => {
    await signIn.goto('/sign-in');
    await signIn.enter(credentials('viewer'));
    await expect(signIn.page).toHaveURL('/');
    await expect(overview.heading).toHaveText('Overview');
    await expect(overview.account).toContainText(/Una\s*Acme/);
    await overview.openAccount();
    await expect(overview.account.getByRole('paragraph')).toHaveText(['viewer', 'Times in UTC']);
  });

  test('a wrong password and an unknown login are rejected in the same words', { tag: '@no-js' }, async ({ signIn }) => {
    const { login } = credentials('viewer');
    const refusals: string[] = [];
    for (const attempt of [login, 'nobody@acme.example']) {
      await signIn.goto('/sign-in?next=/audit');
      await signIn.enter({ login: attempt, password: 'not the password' });
      await expect(signIn.refusal).toBeVisible();
      // The address holds neither login nor password, and keeps the page that was requested.
      await expect.poll(() => signIn.query()).toEqual({ error: 'refused', next: '/audit' });
      refusals.push(await signIn.refusal.innerText());
      await expect(signIn.login).toHaveValue(attempt);
      await expect(signIn.password).toHaveValue('');
    }
    expect(refusals[0]).toContain('do not match');
    expect(refusals[1]).toBe(refusals[0]);
    await signIn.goto('/agents');
    await expect(signIn.page).toHaveURL('/sign-in?next=/agents');
  });

  test('nothing is sent without login and password', async ({ signIn }) => {
    await signIn.goto('/sign-in');
    await signIn.button.click();
    await expect(signIn.login).toBeFocused();
    await signIn.login.fill('vera');
    await signIn.button.click();
    await expect(signIn.password).toBeFocused();
    await expect(signIn.page).toHaveURL('/sign-in');
  });

  test('too many attempts are reported', { tag: '@no-js' }, async ({ signIn }) => {
    await signIn.goto('/sign-in?error=limited');
    await expect(signIn.refusal).toContainText('Too many attempts');
  });

  test('signing in leads to the page that was requested', { tag: '@no-js' }, async ({ signIn, memories }) => {
    await signIn.goto('/memories?topic=staging+database');
    await expect(signIn.heading).toHaveText('Sign in to Remembrancer');
    await expect.poll(() => signIn.query()).toEqual({ next: '/memories?topic=staging+database' });
    await expect(signIn.notice).toHaveText('Sign in to continue to the page you requested.');
    await signIn.enter(credentials('viewer'));
    await expect(signIn.page).toHaveURL('/memories?topic=staging+database');
    await expect(memories.topic('staging database')).not.toHaveCount(0);
  });

  test('signing in never leads to another site', async ({ signIn }) => {
    await signIn.goto('/sign-in?next=//example.org/agents');
    await signIn.enter(credentials('viewer'));
    await expect(signIn.page).toHaveURL('/');
  });

  test('signing out ends the session on the server, too', { tag: '@no-js' }, async ({ signIn, browser, gate, javaScriptEnabled }) => {
    await enter(signIn, credentials('operator'));
    const cookies = await signIn.page.context().storageState();
    await signIn.openAccount();
    await signIn.send(signIn.signOut());
    await expect(signIn.page).toHaveURL('/sign-in?signed_out=yes');
    await expect(signIn.notice).toHaveText('You are signed out.');
    // A copy of the cookie is worth nothing now.
    const thief = await another(browser, gate, { storageState: cookies, javaScriptEnabled: javaScriptEnabled ?? true });
    await thief.goto('/memories');
    await expect(thief.page).toHaveURL('/sign-in?next=/memories');
    await thief.page.context().close();
  });

  test('signing in replaces a session that somebody else planted', async ({ signIn, browser, gate }) => {
    await enter(signIn, credentials('operator'));
    const planted = await signIn.page.context().storageState();
    const victim = await another(browser, gate, { storageState: planted });
    await enter(victim, credentials('viewer'));
    const value = (cookies: { name: string; value: string }[]) => cookies.find(({ name }) => name === 'rmb')?.value;
    const now = value(await victim.page.context().cookies());
    expect(value(planted.cookies)).toBeTruthy();
    expect(now).toBeTruthy();
    expect(now).not.toBe(value(planted.cookies));
    await victim.page.context().close();
    await signIn.goto('/agents');
    await expect(signIn.page).toHaveURL('/sign-in?next=/agents');
  });

  test('a session that ended in another tab leads to the sign-in page at the next click', async ({ signIn, browser, gate }) => {
    gate.expect(401);
    await enter(signIn, credentials('operator'));
    const tab = await another(browser, gate, { storageState: await signIn.page.context().storageState() });
    await tab.goto('/agents');
    await signIn.openAccount();
    await signIn.send(signIn.signOut());
    await tab.page.getByRole('link', { name: 'Audit', exact: true }).filter({ visible: true }).click();
    await expect(tab.page).toHaveURL('/sign-in?next=/audit');
    await tab.page.context().close();
  });
});
