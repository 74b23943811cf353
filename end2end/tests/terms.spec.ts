import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test('terms are listed with their definitions and aliases', { tag: ['@phone', '@no-js'] }, async ({ terms, term }) => {
  await terms.goto('/vocabulary/terms?q=stage-db');
  await expect(terms.total).toHaveText('1 term');
  await expect(terms.cell('staging database', 'Definition')).toHaveText('The Postgres that every branch deploys against');
  await expect(terms.cell('staging database', 'Aliases')).toContainText('stage-db');
  expect(Number(await terms.cell('staging database', 'Memories').innerText())).toBeGreaterThan(0);

  await terms.text.fill('questioned before it is built');
  await terms.apply.click();
  await expect(terms.terms).toHaveText(['design review']);
  await expect.poll(() => terms.query()).toEqual({ q: 'questioned before it is built' });
  await terms.terms.click();
  await expect(term.heading).toHaveText('design review');
  await expect(term.definition).toHaveText('The meeting in which a design is questioned before it is built');
  await expect(term.aliases).toContainText(['architecture review']);
});

test('an empty list says so and links to all terms', { tag: '@no-js' }, async ({ terms }) => {
  await terms.goto(`/vocabulary/terms?q=${unique('nothing')}`);
  await expect(terms.empty.getByRole('heading')).toHaveText('No term matches these filters');
  await terms.empty.getByRole('link', { name: 'Clear filters' }).click();
  await expect(terms.row('terraform')).toBeVisible();
});

test('the tabs link the pages of a section, and a filter of a list is a tab', { tag: ['@phone', '@no-js'] }, async ({ terms, decisions, memories, vocabulary }) => {
  const tab = (section: string, name: string) => terms.main.getByRole('navigation', { name: section }).getByRole('link', { name: new RegExp(`^${name}`) });
  await terms.goto('/vocabulary/terms');
  await expect(tab('Vocabulary', 'Terms')).toHaveAttribute('aria-current', 'page');
  await tab('Vocabulary', 'Decisions').click();
  await expect(decisions.heading).toHaveText('Decisions');
  await expect(tab('Vocabulary', 'Decisions')).toHaveAttribute('aria-current', 'page');
  await expect(tab('Vocabulary', 'Terms')).not.toHaveAttribute('aria-current');

  await vocabulary.goto('/vocabulary');
  await expect(vocabulary.heading).toHaveText('Proposed terms');
  await tab('Review', 'Shared memories').click();
  await expect(memories.heading).toHaveText('Shared memories');
  await expect(tab('Review', 'Shared memories')).toHaveAttribute('aria-current', 'page');
  await expect(tab('Review', 'Proposed terms')).not.toHaveAttribute('aria-current');
});

test('a renamed term keeps its old name as an alias, and its memories', { tag: ['@phone', '@no-js'] }, async ({ vocabulary, term, memory, agent }) => {
  const name = unique('pilot');
  const next = `sea ${name}`;
  const { memory_id } = await vocabulary.term(agent, name);
  await term.openUsed(name, 1);
  await term.unfold('Rename…').click();
  await term.field('New name').fill(next);
  await term.send(term.show);
  await expect(term.question).toHaveText(`Rename “${name}” to “${next}”?`);
  await expect(term.effect).toContainText('1 memory of 1 agent changes its topic.');
  await expect(term.meanings).toContainText([`${name} → ${next}`, `${next} → ${next}`]);
  await term.send(term.confirm('Rename'));
  await expect(term.flash).toContainText(`“${name}” is called “${next}” now.`);
  await expect(term.heading).toHaveText(next);
  await expect(term.aliases).toContainText([name]);
  await expect(term.history.first()).toContainText('rename');
  await memory.gotoUntil(`/memories/${memory_id}`, async () => expect(await memory.heading.innerText()).toBe(next));
});

test('defining a term changes nothing else', { tag: '@no-js' }, async ({ vocabulary, term, agent }) => {
  const name = unique('galley');
  await vocabulary.term(agent, name);
  await term.open(name);
  await expect(term.main).toContainText('Not defined yet.');
  await term.unfold('Define…').click();
  await term.field('Definition').fill('The kitchen of a ship.');
  await term.field('Category').fill('rooms');
  await term.send(term.show);
  await expect(term.question).toHaveText(`Change the definition of “${name}”?`);
  await expect(term.main.locator('ins').first()).toBeVisible();
  await expect(term.effect).toContainText('No memory changes its topic.');
  await term.send(term.confirm('Define'));
  await expect(term.definition).toHaveText('The kitchen of a ship.');
  await expect(term.main.getByText('rooms', { exact: true })).toBeVisible();
});

test('an alias can be added and removed, and recalls follow it', { tag: '@no-js' }, async ({ vocabulary, term, agent }) => {
  const [name, alias] = [unique('cabin'), unique('berth')];
  await vocabulary.term(agent, name);
  await term.open(name);
  await term.unfold('Add an alias…').click();
  await term.field('Alias').fill(alias);
  await term.send(term.show);
  await expect(term.question).toHaveText(`Add “${alias}” as an alias of “${name}”?`);
  await term.send(term.confirm('Add alias'));
  await expect(term.aliases).toContainText([alias]);
  await expect.poll(async () => (await agent.ask(alias)).query_canonical).toBe(name);

  await term.removeAlias(alias).click();
  await expect(term.question).toHaveText(`Remove the alias “${alias}” from “${name}”?`);
  await expect(term.meanings).toContainText(['no term']);
  await term.send(term.confirm('Remove alias'));
  await expect(term.flash).toContainText(`“${alias}” is no longer an alias of “${name}”.`);
  await expect(term.aliases).toHaveCount(0);
  await expect.poll(async () => (await agent.ask(alias)).query_canonical).toBeUndefined();
});

test('an alias that is taken is rejected', { tag: '@no-js' }, async ({ vocabulary, term, gate, agent }) => {
  gate.expect(409);
  const name = unique('hold');
  await vocabulary.term(agent, name);
  await term.open(name);
  await term.unfold('Add an alias…').click();
  await term.field('Alias').fill('terraform');
  await term.send(term.show);
  await expect(term.error).toContainText('terraform');
  await term.main.getByRole('link', { name: 'Back to the term' }).click();
  await expect(term.heading).toHaveText(name);
});

test('combining two terms can be undone', { tag: ['@phone', '@no-js'] }, async ({ vocabulary, term, agent }) => {
  const [name, other] = [unique('dinghy'), unique('tender')];
  await vocabulary.term(agent, name);
  await vocabulary.term(agent, other);
  await term.openUsed(name, 1);
  await term.unfold('Combine…').click();
  await term.field('Other term').fill(other);
  await term.send(term.show);
  await expect(term.question).toHaveText(`Combine “${name}” into “${other}”?`);
  await expect(term.meanings).toContainText([`${name} → ${other}`]);
  await term.send(term.confirm('Combine'));
  // On the page of the term that came of it.
  await expect(term.heading).toHaveText(other);
  await expect(term.aliases).toContainText([name]);
  await term.openUsed(other, 2);

  await term.send(term.history.first().getByRole('button', { name: /^Undo/ }));
  await expect(term.flash).toContainText(`The decision on “${name}” was undone.`);
  await expect(term.heading).toHaveText(other);
  await term.openUsed(name, 1);
});

test('a retired term is listed among the retired, with the reason', { tag: ['@phone', '@no-js'] }, async ({ vocabulary, term, terms, memory, agent }) => {
  const name = unique('telegraph');
  const { memory_id } = await vocabulary.term(agent, name);
  await term.openUsed(name, 1);
  await term.unfold('Retire…').click();
  await term.field('Reason').fill('Nobody sends them any more.');
  await term.send(term.show);
  await expect(term.question).toHaveText(`Retire “${name}”?`);
  await expect(term.main).toContainText('Reason: Nobody sends them any more.');
  await expect(term.effect).toContainText('1 memory of 1 agent');
  await term.send(term.confirm('Retire'));
  await expect(term.flash).toContainText(`“${name}” is no longer in use.`);
  await expect(term.main.getByText('retired', { exact: true })).toBeVisible();
  await expect(term.unfold('Rename…')).toHaveCount(0);

  await terms.goto(`/vocabulary/terms?${new URLSearchParams({ q: name })}`);
  await expect(terms.empty).toBeVisible();
  await terms.state.selectOption('Retired');
  await terms.apply.click();
  await expect(terms.terms).toHaveText([name]);
  await memory.gotoUntil(`/memories/${memory_id}`, async () => expect(await memory.main.getByText('not a term', { exact: true }).count()).toBe(1));
});

test('an unknown term is not found', { tag: '@no-js' }, async ({ term, gate }) => {
  gate.expect(404);
  const response = await term.goto('/vocabulary/terms/0198f000-0000-7000-8000-000000000000');
  expect(response.status()).toBe(404);
  await expect(term.error).toContainText('Not found');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('cannot change a term', { tag: '@no-js' }, async ({ term, gate }) => {
    gate.expect(403);
    await term.open('terraform');
    await expect(term.unfold('Rename…')).toHaveCount(0);
    await expect(term.main.getByRole('link', { name: /^Remove the alias/ })).toHaveCount(0);
    await expect(term.main.getByRole('button')).toHaveCount(0);
    const { pathname } = new URL(term.page.url());
    await term.goto(`${pathname}/change?what=rename&term=other`);
    await expect(term.error).toContainText('Your role does not allow this');
  });
});

test('a term is created with aliases, and a refused form keeps its text', { tag: ['@phone', '@no-js'] }, async ({ terms, term, gate }) => {
  gate.expect(409);
  const [name, alias] = [unique('mooring'), unique('berth')];
  await terms.goto(`/vocabulary/terms/new?name=${name}`);
  await expect(terms.newTerm.field('Term')).toHaveValue(name);
  await terms.newTerm.field('Definition').fill('Where a boat is tied up');
  await terms.newTerm.field('Aliases').fill(`${alias}\n`);
  await terms.send(terms.newTerm.create);
  await expect(term.heading).toHaveText(name);
  await expect(term.aliases).toContainText([alias]);
  await expect(term.flash).toContainText(`“${name}” is a term now.`);

  await terms.goto('/vocabulary/terms/new');
  await terms.newTerm.field('Term').fill(alias);
  await terms.send(terms.newTerm.create);
  await expect(terms.flash).toContainText(alias);
  await expect(terms.newTerm.field('Term')).toHaveValue(alias);

  const other = unique('dock');
  await terms.goto(`/vocabulary/terms/new?alias=${other}`);
  await terms.newTerm.into.fill(name);
  await terms.send(terms.newTerm.addAlias);
  await expect(term.heading).toHaveText(name);
  await expect(term.aliases).toContainText([other]);
});
