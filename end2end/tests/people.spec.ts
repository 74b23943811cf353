import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

/** An agent that may observe people and assemble contexts. */
function observer(): Agent {
  return Agent.create(['capture:write', 'context:read']);
}

test('an observation becomes an entry that says why it is there, and is gone once it is forgotten', { tag: ['@phone', '@no-js'] }, async ({ people, person, gate }) => {
  // Until the observation is processed, there is no profile.
  gate.expect(404);
  const agent = observer();
  const what = unique('sextants');
  const sentence = `Vera prefers ${what} to charts.`;
  await agent.observe(sentence, 'preference');
  await person.open(agent, what);
  await expect(person.narrative).toContainText(sentence);
  await expect(person.entry(what)).toContainText('observed once');
  await expect(person.sentences(what)).toBeHidden();
  await person.why(what).click();
  await expect(person.sentences(what)).toContainText(sentence);
  await expect(person.sentences(what).getByRole('link', { name: 'Source' })).toHaveAttribute('href', /^\/sources\/.+/);
  expect(await agent.context(`What does Vera prefer?`)).toContain(sentence);

  await people.openWith(agent, 1);
  await expect(people.total).toHaveText('1 profile');
  await expect(people.rows.first()).toContainText(sentence);
  await people.rows.first().getByRole('link').click();
  await person.ready();

  await person.forget(what, 'Vera asked for it.');
  await expect(person.flash).toContainText('Forgotten.');
  await expect(person.main).not.toContainText(what);
  expect(await agent.context(`What does Vera prefer?`)).not.toContain(what);

  await person.send(person.undo);
  await expect(person.flash).toContainText('Undone.');
  await expect(person.entry(what)).toHaveCount(1);
  expect(await agent.context(`What does Vera prefer?`)).toContain(sentence);
});

test('values that contradict each other are side by side, and a correction is in the history', { tag: ['@phone', '@no-js'] }, async ({ person, gate }) => {
  gate.expect(404);
  const agent = observer();
  const [bern, basel, chur] = [unique('Bern'), unique('Basel'), unique('Chur')];
  await agent.observe(`Office: ${bern}`);
  await person.open(agent, bern);
  await agent.observe(`Office: ${basel}`);
  await person.open(agent, basel);
  await expect(person.disputed.getByTestId('entry')).toHaveCount(2);
  await agent.observe(`Office: ${chur}`, 'correction');
  await person.open(agent, chur);
  await expect(person.disputed).toHaveCount(0);
  await expect(person.entries).toHaveCount(1);
  await expect(person.history.getByRole('deletion')).toHaveText([bern, basel]);
});

test('a person is called by reference, and an entry is forgotten on the page of the person', { tag: ['@phone', '@no-js'] }, async ({ memories, person }) => {
  const agent = observer();
  const [who, what] = [unique('crm').replace(' ', '-'), unique('sextants')];
  await agent.observe(`Vera prefers ${what} to charts.`, 'preference', undefined, who);
  await agent.remember({ topic_raw: unique('harbour'), content: 'Vera lives at the harbour.', user_id: who });
  // The observation waits as a candidate, which the list leaves out.
  await memories.goto(agent.memories({ user: who }));
  await expect(memories.rows).toHaveCount(1);
  await memories.rows.getByRole('link').first().click();
  await memories.peek.panel.getByRole('link', { name: who, exact: true }).click();
  await expect(person.heading).toHaveText(who);
  const address = new URL(person.page.url()).pathname;
  await person.gotoUntil(address, async () => expect(await person.entry(what).count()).toBe(1));
  await expect(person.main).toContainText('Vera lives at the harbour.');
  const other = unique('octants');
  await person.correct(what, `Vera prefers ${other} to charts.`, 'Vera told us.');
  await expect(person.flash).toContainText('Corrected.');
  await expect(person.entries).toHaveCount(1);
  await expect(person.entry(other)).toHaveCount(1);
  await person.send(person.undo);
  await expect(person.entries).toHaveCount(1);
  await person.forget(what, 'Vera asked for it.');
  await expect(person.flash).toContainText('Forgotten.');
  expect(new URL(person.page.url()).pathname).toBe(address);
  await expect(person.entries).toHaveCount(0);
  await person.send(person.undo);
  expect(new URL(person.page.url()).pathname).toBe(address);
  await expect(person.entry(what)).toHaveCount(1);
});

test('a list without a match says so', { tag: '@no-js' }, async ({ people }) => {
  const agent = Agent.create();
  await people.goto(people.address(agent));
  await expect(people.empty).toContainText('No profile matches these filters');
  await people.goto('/people?user=nobody+is+called+this');
  await expect(people.empty).toContainText('No profile matches these filters');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('reads a profile and forgets nothing', { tag: '@no-js' }, async ({ person, gate }) => {
    gate.expect(404);
    const agent = observer();
    const what = unique('anchors');
    await agent.observe(`Vera prefers ${what}.`, 'preference');
    await person.open(agent, what);
    await expect(person.forgetEntry).toHaveCount(0);
    await expect(person.entry(what).locator('summary')).toHaveCount(1);
  });
});
