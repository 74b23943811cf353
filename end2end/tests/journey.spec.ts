import { Agent, unique } from '../support/agent';
import { another, expect, SIGNED_OUT, test } from '../support/test';

const QUESTION = 'Who won the chess tournament in Reykjavik?';

/*
 * The way of an admin who never saw the command line, in one piece. Its parts have tests of their own, which know more of each page.
 *
 * Clicks, where `goto` is a click in the sidebar and one on a tab if there are several:
 *
 *   invite a second operator          4  Settings, Accounts, the role, “Make invitation”
 *   the invited person                1  “Set password and sign in”
 *   make an agent                     2  Agents, “Make agent”
 *   make a key and connect a host     3  “Connect”, the host, “Make key and show lines”
 *   see the first recall              0  the page refreshes itself
 *   turn the miss into a test         5  Health, the agent, “Apply filters”, “This should have been found”, “Add expectation”
 *   see it fail, and pass             2  “Run the set”, once before and once after the memory was corrected
 *
 * Sixteen for the admin, and one for the second operator.
 */
test('an admin goes from an invitation to an expectation that is met', async ({ accounts, agents, agentPage, connect, health, expectations, browser, gate, page }) => {
  const login = `${unique('newt').replace(' ', '-')}@acme.example`;
  await accounts.goto('/accounts');
  await accounts.role('reviewer').check();
  const link = await accounts.invite(login, 'Newt');
  await expect(accounts.links.filter({ hasText: login })).toContainText('becomes viewer, reviewer');
  const newt = await another(browser, gate, { storageState: SIGNED_OUT });
  await newt.page.goto(link);
  await newt.page.getByLabel('Password').fill('a long enough password');
  await newt.page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(newt.page).toHaveURL('/');

  const slug = unique('zephyr').replace(' ', '-');
  await agents.goto('/agents');
  await agents.create(slug);
  await expect(agentPage.heading).toHaveText(slug);
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('link', { name: 'Connect', exact: true }).click();
  await connect.ready();
  await connect.connect('curl');
  const key = /rmb_\w+/.exec(await connect.lines.innerText())?.[0] ?? '';
  const agent = Agent.connected(slug, id, key);

  const { memory_id } = await agent.remember({ topic_raw: 'gasket', content: 'Pump four takes the green gasket.' });
  await agent.ask(QUESTION, { expected: true });
  await expect(() => expect(connect.firstCall).toContainText(`${slug} recalled`)).toPass();

  await health.gotoUntil(`/recall?agent=${id}`, async () => expect(await health.items.count()).toBe(1));
  await health.item(QUESTION).getByRole('link', { name: 'This should have been found' }).click();
  await expect(expectations.heading).toHaveText('New expectation');
  const set = unique('journey');
  await expectations.memories.fill(memory_id);
  await expectations.newSet.fill(set);
  await expectations.send(expectations.add);
  await expect(expectations.heading).toHaveText(set);
  await expectations.runUntil('0 of 1');
  await agent.revise(memory_id, 'Idris won the chess tournament in Reykjavik.');
  await expectations.runUntil('1 of 1');
  await expect(expectations.rows).toContainText('newly met');

  // The second operator sees what the first one made.
  await newt.goto('/quality/expectations');
  await expect(newt.page.getByRole('link', { name: set, exact: true })).toBeVisible();
  await newt.page.context().close();
});
