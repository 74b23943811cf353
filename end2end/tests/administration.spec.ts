import { remembrancer, unique } from '../support/agent';
import { environment } from '../support/environment';
import { another, expect, SIGNED_OUT, test } from '../support/test';

// An organisation is run in the browser: nobody needs the command line.

const slugOf = (text: string) => text.replace(' ', '-');
/** The status of a recall with a key. */
async function recall(key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ query: 'What is known about the tide tables?' });
  return (await fetch(`${environment.baseURL}/api/tools/agent_memory_recall`, { method: 'POST', headers, body })).status;
}

test('an admin makes an agent, connects it and sees its first recall', { tag: '@no-js' }, async ({ agents, agentPage, connect }) => {
  const slug = slugOf(unique('zephyr'));
  await agents.goto('/agents');
  await agents.create(slug);
  await expect(agentPage.heading).toHaveText(slug);
  await agentPage.page.getByRole('link', { name: 'Connect', exact: true }).click();
  await connect.ready();
  await connect.connect('curl');
  await expect(connect.firstCall).toContainText('Waiting for the first call.');
  const key = /rmb_\w+/.exec(await connect.lines.innerText())?.[0] ?? '';
  expect(await recall(key)).toBe(200);
  const recalled = () => expect(connect.firstCall).toContainText(`${slug} recalled`);
  if (connect.scripted) {
    // The page refreshes by itself, and keeps the key that the server no longer has.
    await expect(recalled).toPass();
    await expect(connect.lines).toContainText(key);
  } else {
    await connect.gotoUntil(connect.page.url(), recalled);
    await expect(connect.lines).toContainText('YOUR_KEY');
  }
});

test('a person is invited, gets roles, and is removed', { tag: '@no-js' }, async ({ accounts, browser, gate, page }) => {
  const login = `${slugOf(unique('mole'))}@acme.example`;
  await accounts.goto('/accounts');
  const link = await accounts.invite(login, 'Mole');
  await expect(accounts.links.filter({ hasText: login })).toContainText('becomes viewer');
  const mole = await another(browser, gate, { storageState: SIGNED_OUT, javaScriptEnabled: accounts.scripted });
  await mole.page.goto(link);
  await mole.page.getByLabel('Password').fill('a long enough password');
  await mole.page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(mole.page).toHaveURL('/');
  // The link was used, and the list has the account in its place.
  await accounts.goto('/accounts');
  await expect(accounts.newLink).toHaveCount(0);
  await expect(accounts.links.filter({ hasText: login })).toHaveCount(0);
  await accounts.row(login).getByRole('link').click();
  await accounts.ready();
  await accounts.role('reviewer').check();
  await accounts.save();
  await expect(accounts.flash).toContainText('Changed the roles to viewer, reviewer.');
  await mole.page.goto('/agents');
  await expect(mole.page).toHaveURL(/\/sign-in/);
  await mole.page.context().close();

  gate.expect(400);
  await accounts.remove('somebody');
  await expect(accounts.page.getByRole('textbox', { name: 'Login of the account' })).toHaveAccessibleDescription(/Type the login of the account/);
  await accounts.remove(login);
  await expect(page).toHaveURL('/accounts');
  await expect(accounts.row(login)).toContainText('removed');
  await accounts.row(login).getByRole('link').click();
  await accounts.restore();
  await expect(accounts.removed).toHaveCount(0);
});

test('an invitation is withdrawn', { tag: '@no-js' }, async ({ accounts, page }) => {
  const login = `${slugOf(unique('newt'))}@acme.example`;
  await accounts.goto('/accounts');
  const link = await accounts.invite(login, 'Newt');
  await accounts.withdraw(login);
  await expect(accounts.links.filter({ hasText: login })).toHaveCount(0);
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link is not valid');
});

test('a key is shown once, rotated, and ends with its agent', { tag: '@no-js' }, async ({ agentPage }) => {
  const slug = slugOf(unique('heron'));
  const id = remembrancer('agent', 'create', slug, '--tenant', 'acme', '--name', 'Heron').split(' ').at(-1) ?? '';
  await agentPage.goto(`/agents/${id}`);
  const first = await agentPage.makeKey('laptop');
  expect(await recall(first)).toBe(200);
  await agentPage.goto(`/agents/${id}`);
  await expect(agentPage.secret).toHaveCount(0);
  const second = await agentPage.rotate(agentPage.key('laptop'), 'No longer');
  expect([await recall(first), await recall(second)]).toEqual([401, 200]);

  await agentPage.rename('Heron of the harbour');
  await expect(agentPage.flash).toContainText('Changed: the name.');
  await expect(agentPage.main).toContainText('Heron of the harbour');
  await agentPage.retire('the pond is dry');
  expect(await recall(second)).toBe(401);
  await expect(agentPage.page.getByText('New key…', { exact: true })).toHaveCount(0);
  await agentPage.restore();
  expect(await recall(await agentPage.makeKey('laptop again'))).toBe(200);
});

test('a user is added and gets another reference', { tag: '@no-js' }, async ({ users }) => {
  const reference = slugOf(unique('crm'));
  await users.goto('/people/users');
  await users.save(reference, 'Mina Roth');
  await expect(users.flash).toContainText(`Added the user ${reference}.`);
  await users.page.getByRole('link', { name: `Change ${reference}` }).click();
  await users.ready();
  await users.save(`${reference}-b`, 'Mina Roth');
  await expect(users.row(`${reference}-b`)).toContainText('Mina Roth');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('is offered nothing to manage', { tag: '@no-js' }, async ({ frame, agent, agentPage, gate }) => {
    gate.expect(403);
    for (const path of ['/accounts', '/people/users', '/agents/connect']) {
      await frame.goto(path);
      await expect(frame.error).toContainText('Your role does not allow this');
    }
    await frame.goto('/agents');
    await expect(frame.main.getByRole('button')).toHaveCount(0);
    await agentPage.goto(`/agents/${agent.id}`);
    for (const fold of ['Change…', 'Block…', 'Retire…', 'New key…', 'Rotate…']) {
      await expect(agentPage.page.getByText(fold, { exact: true })).toHaveCount(0);
    }
    await expect(agentPage.page.getByRole('link', { name: 'Connect', exact: true })).toHaveCount(0);
  });
});
