import { unique } from '../support/agent';
import { sendByHand } from '../support/form';
import { another, expect, test } from '../support/test';
import { VocabularyPage } from '../pages/vocabulary';

/** A term, and a phrase with a similar spelling. */
function similarPair(): { term: string; phrase: string } {
  const mark = unique('quay');
  return { term: `mooring place ${mark}`, phrase: `moorings place ${mark}` };
}

test('a phrase becomes an alias, its memories are refiled, and the decision can be undone', { tag: ['@phone', '@no-js'] }, async ({ vocabulary, memory, decisions, agent }) => {
  const { term, phrase } = similarPair();
  await vocabulary.term(agent, term);
  const content = `Ships of more than ninety metres need the ${phrase}.\n  Ask the harbour master.`;
  const { memory_id, is_canonical } = await agent.remember({ topic_raw: phrase, content });
  expect(is_canonical).toBe(false);

  await vocabulary.open(phrase);
  await expect(vocabulary.row(phrase)).toHaveAttribute('aria-current', 'true');
  await expect(vocabulary.focus.evidence).toHaveCount(1);
  await expect(vocabulary.focus.evidence.getByTestId('content')).toHaveText(content, { useInnerText: true });
  await expect(vocabulary.focus.evidence).toContainText(`${agent.slug} on slack`);
  await expect(vocabulary.focus.evidence.getByRole('link')).toHaveAttribute('href', `/memories/${memory_id}`);
  await expect(vocabulary.focus.effect).toHaveText('If approved, 1 memory is refiled.');
  await expect(vocabulary.focus.nearest.first()).toContainText(term);
  await expect(vocabulary.focus.nearest.first()).toContainText(/(Spelling|Meaning)\s*(0\.\d\d|1\.00)/);

  await vocabulary.send(vocabulary.focus.merge.first());
  await expect(vocabulary.flash).toContainText(`“${phrase}” is now an alias of “${term}”.`);
  await expect(vocabulary.flash).toContainText('1 memory is being refiled.');
  await expect(vocabulary.rows).toHaveCount(0);

  await memory.gotoUntil(`/memories/${memory_id}`, async () => expect(await memory.heading.innerText()).toBe(term));
  await expect(memory.fact('Topic as sent')).toHaveText(phrase);
  await expect(memory.history.first()).toContainText(`Topic: ${phrase} → ${term}`);
  expect(await agent.recall(term)).toContain(memory_id);
  expect((await agent.ask(phrase)).query_canonical).toBe(term);

  const message = `“${phrase}” is now an alias of “${term}”.`;
  await decisions.openSettled(message);
  await expect(decisions.about(message)).toContainText('Vera');
  await decisions.send(decisions.undo(decisions.about(message)));
  await expect(decisions.flash).toContainText(`The decision on “${phrase}” was undone.`);
  await expect(decisions.about(message)).toContainText('undone');
  await expect(decisions.undo(decisions.about(message))).toHaveCount(0);
  await memory.gotoUntil(`/memories/${memory_id}`, async () => expect(await memory.heading.innerText()).toBe(phrase));
  await vocabulary.openWith(phrase, 1);
});

test('another term can be typed', { tag: '@no-js' }, async ({ vocabulary, agent }) => {
  const [term, phrase] = [unique('lighthouse'), unique('beacon')];
  await vocabulary.term(agent, term);
  await agent.remember({ topic_raw: phrase, content: 'It turns every seven seconds.' });
  await vocabulary.open(phrase);
  await vocabulary.focus.into.fill(`no ${term}`);
  await vocabulary.send(vocabulary.focus.mergeInto);
  // Refused beside its field, with what had been typed.
  await expect(vocabulary.focus.into).toHaveValue(`no ${term}`);
  await expect(vocabulary.focus.into).toHaveAccessibleDescription(/No active term is called/);
  await expect(vocabulary.flash).toHaveRole('alert');
  await vocabulary.focus.into.fill(term.toUpperCase());
  await vocabulary.send(vocabulary.focus.mergeInto);
  await expect(vocabulary.flash).toContainText(`“${phrase}” is now an alias of “${term}”.`);
});

test('typing suggests terms beyond the first page of them', async ({ vocabulary, agent }) => {
  const [term, phrase] = [unique('zenith'), unique('apex')];
  await vocabulary.term(agent, term);
  await agent.remember({ topic_raw: phrase, content: 'The highest point of all.' });
  await vocabulary.open(phrase);
  await vocabulary.focus.into.pressSequentially(term);
  await expect(vocabulary.page.locator('datalist#terms option')).toHaveCount(1);
  await expect(vocabulary.page.locator('datalist#terms option')).toHaveAttribute('value', term);
});

test('approving under another name is confirmed first', { tag: ['@phone', '@no-js'] }, async ({ vocabulary, decide, term: page, agent }) => {
  const phrase = unique('skipper');
  const name = `captain ${phrase}`;
  await agent.remember({ topic_raw: phrase, content: 'Decides when to sail.' });
  await vocabulary.open(phrase);
  await vocabulary.focus.term.fill(name);
  await vocabulary.focus.definition.fill('Who decides when to sail.');
  await vocabulary.focus.category.fill('people');
  await vocabulary.send(vocabulary.focus.approve);

  await expect(decide.heading).toHaveText('Decide proposals');
  await expect(decide.question).toHaveText(`Approve “${phrase}”?`);
  await expect(decide.effect).toContainText('1 memory of 1 agent changes its topic.');
  await expect(decide.meanings).toContainText([`${name} → ${name}`, `${phrase} → ${name}`]);
  await expect(decide.term).toHaveValue(name);
  await expect(decide.definition).toHaveValue('Who decides when to sail.');
  await decide.send(decide.confirm);
  await expect(vocabulary.flash).toContainText(`“${phrase}” became the term “${name}”.`);

  await page.openUsed(name, 1);
  await expect(page.definition).toHaveText('Who decides when to sail.');
  await expect(page.aliases).toContainText([phrase]);
  await expect(page.main.getByText('people', { exact: true })).toBeVisible();
  await expect(page.usage).toContainText(agent.slug);
});

test('a phrase that was rejected stays rejected', { tag: ['@phone', '@no-js'] }, async ({ vocabulary, agent }) => {
  const phrase = unique('thing');
  await agent.remember({ topic_raw: phrase, content: 'It was somewhere.' });
  await vocabulary.open(phrase);
  await vocabulary.focus.reason.fill('It says nothing.');
  await vocabulary.send(vocabulary.focus.reject);
  await expect(vocabulary.flash).toContainText(`“${phrase}” was rejected.`);
  await expect(vocabulary.empty).toBeVisible();

  await vocabulary.openWith(phrase, 1, { status: 'rejected' });
  await vocabulary.phrases.click();
  await expect(vocabulary.focus.decided).toContainText('Reason: It says nothing.');
  await expect(vocabulary.focus.approve).toHaveCount(0);
  await agent.remember({ topic_raw: phrase, content: 'Something else entirely was said about this on Thursday.' });
  await vocabulary.gotoUntil(`/vocabulary?${new URLSearchParams({ q: phrase, status: 'rejected' })}`, async () =>
    expect(await vocabulary.rows.locator('td.number').innerText()).toBe('2'),
  );
});

test('a decision can be undone from its message', { tag: '@no-js' }, async ({ vocabulary, agent }) => {
  const phrase = unique('slip');
  await agent.remember({ topic_raw: phrase, content: 'A slip of the hand.' });
  await vocabulary.open(phrase);
  await vocabulary.focus.reason.fill('A slip.');
  await vocabulary.send(vocabulary.focus.reject);
  await vocabulary.send(vocabulary.undo);
  await expect(vocabulary.flash).toContainText(`The decision on “${phrase}” was undone.`);
  await expect(vocabulary.phrases).toHaveText([phrase]);
});

test('several proposals can be decided at once', { tag: ['@phone', '@no-js'] }, async ({ vocabulary, decide, decisions, agent }) => {
  const mark = unique('sail');
  const term = unique('canvas');
  const phrases = ['jib', 'genoa', 'spinnaker'].map((name) => `${name} ${mark}`);
  await vocabulary.term(agent, term);
  await agent.rememberAll(phrases.map((phrase) => ({ topic_raw: phrase, content: `Set the ${phrase} before the wind turns.` })));
  await vocabulary.openWith(mark, 3);
  for (const phrase of phrases) await vocabulary.select(phrase).check();
  await vocabulary.send(vocabulary.mergeSelected);

  await expect(decide.question).toHaveText('Merge 3 phrases into which term?');
  await expect(decide.rows).toHaveCount(3);
  await decide.into.fill(`no ${term}`);
  await decide.send(decide.show);
  await expect(decide.into).toHaveAccessibleDescription(/No active term is called/);
  await decide.into.fill(term);
  await decide.send(decide.show);
  await expect(decide.question).toHaveText(`Merge 3 phrases into “${term}”?`);
  await expect(decide.effect).toContainText('3 memories of 1 agent change their topic.');
  await expect(decide.meanings).toHaveCount(3);
  await decide.send(decide.confirm);
  await expect(vocabulary.flash).toContainText(`are now aliases of “${term}”.`);
  await expect.poll(() => vocabulary.query()).toEqual({ q: mark });
  await expect(vocabulary.rows).toHaveCount(0);
  // Three decisions: what undoing all of them does is shown first.
  await vocabulary.send(vocabulary.undo);
  await expect(decisions.heading).toHaveText('Undo decisions');
  await expect(decisions.rows).toHaveCount(3);
  await decisions.send(decisions.confirm('Undo 3 decisions'));
  await expect(vocabulary.flash).toContainText('were undone.');
  await vocabulary.send(vocabulary.redo);
  await expect(decisions.heading).toHaveText('Redo decisions');
  await decisions.send(decisions.confirm('Redo 3 decisions'));
  await expect(vocabulary.flash).toContainText(`are now aliases of “${term}”.`);
  await vocabulary.send(vocabulary.undo);
  await decisions.send(decisions.confirm('Undo 3 decisions'));
  await expect(vocabulary.flash).toContainText('were undone.');
  await vocabulary.openWith(mark, 3);

  await vocabulary.select(phrases[0] ?? '').check();
  await vocabulary.select(phrases[1] ?? '').check();
  await vocabulary.send(vocabulary.rejectSelected);
  await expect(decide.question).toHaveText('Reject 2 phrases?');
  await decide.reason.fill('  ');
  await decide.send(decide.confirm);
  await expect(decide.reason).toHaveAccessibleDescription(/Must not be empty\./);
  await decide.reason.fill('Every sail has its own name.');
  await decide.send(decide.confirm);
  await expect(vocabulary.flash).toContainText('were rejected.');
  await expect(vocabulary.phrases).toHaveText([phrases[2] ?? '']);

  await vocabulary.select(phrases[2] ?? '').check();
  await vocabulary.send(vocabulary.approveSelected);
  await expect(decide.question).toHaveText(`Approve “${phrases[2]}”?`);
  await decide.send(decide.confirm);
  await expect(vocabulary.flash).toContainText(`“${phrases[2]}” is a term now.`);
});

test('proposals with similar spellings become one term', { tag: '@no-js' }, async ({ vocabulary, decide, term: page, agent }) => {
  const mark = unique('wharf');
  const [one, many] = [`loading bay ${mark}`, `loading bays ${mark}`];
  await agent.rememberAll([one, many].map((topic_raw) => ({ topic_raw, content: `Where the ${topic_raw} can be reached.` })));
  await vocabulary.openWith(mark, 2);
  await vocabulary.row(one).getByRole('link').click();
  await expect(vocabulary.focus.similar).toContainText([many]);
  await vocabulary.focus.mergeAll.click();
  await expect(decide.rows).toHaveCount(2);
  await decide.phrase.selectOption(many);
  await decide.send(decide.showTerm);
  await expect(decide.question).toHaveText(`Make “${many}” the term for 2 phrases?`);
  await expect(decide.meanings).toContainText([`${one} → ${many}`, `${many} → ${many}`]);
  await decide.send(decide.confirm);
  await page.open(many);
  await expect(page.aliases).toContainText([one]);
});

test('the count follows the checkboxes and starts over with another list', async ({ vocabulary, agent }) => {
  const mark = unique('knot');
  await agent.rememberAll(['bowline', 'reef'].map((name) => ({ topic_raw: `${name} ${mark}`, content: `How the ${name} is tied.` })));
  await vocabulary.openWith(mark, 2);
  const count = vocabulary.page.getByText(/Select proposals to decide|\d proposals? selected$/);
  await vocabulary.selectAll.check();
  await expect(count).toHaveText('2 proposals selected');
  await vocabulary.phrase.fill(`reef ${mark}`);
  await vocabulary.apply.click();
  await expect(vocabulary.phrases).toHaveText([`reef ${mark}`]);
  await expect(vocabulary.select(`reef ${mark}`)).not.toBeChecked();
  await expect(count).toHaveText('Select proposals to decide them together.');
});

test('deciding without a selection links back to the list', { tag: '@only-no-js' }, async ({ vocabulary, decide, agent }) => {
  const phrase = unique('buoy');
  await agent.remember({ topic_raw: phrase, content: 'Red to port.' });
  await vocabulary.openWith(phrase, 1);
  await vocabulary.send(vocabulary.approveSelected);
  await expect(decide.empty).toContainText('Nothing is selected');
  await decide.empty.getByRole('link', { name: 'Back to the list' }).click();
  await expect(vocabulary.phrases).toHaveText([phrase]);
});

test('letters walk through proposals and prepare a decision, Enter sends it', async ({ vocabulary, agent }) => {
  const mark = unique('moon');
  const term = `ebb tides ${mark}`;
  await vocabulary.term(agent, term);
  const content = (place: string) => `At the ${place} gauge it comes an hour later.`;
  await agent.rememberAll(['west', 'north', 'south'].map((place) => ({ topic_raw: `ebb tide ${mark} ${place}`, content: content(place) })));
  await vocabulary.openWith(`ebb tide ${mark}`, 3);
  const phrases = await vocabulary.phrases.allInnerTexts();
  const { keyboard } = vocabulary.page;
  const at = async (phrase: string | undefined) => expect(vocabulary.focus.phrase).toHaveText(phrase ?? '');

  await keyboard.press('j');
  await at(phrases[0]);
  await keyboard.press('j');
  await at(phrases[1]);
  await keyboard.press('k');
  await at(phrases[0]);

  // What is typed about one is not sent for another.
  await keyboard.press('r');
  await expect(vocabulary.focus.reason).toBeFocused();
  await keyboard.type('jkm');
  await expect(vocabulary.focus.reason).toHaveValue('jkm');
  await keyboard.press('Escape');
  await expect(vocabulary.focus.panel).toBeVisible();
  await keyboard.press('j');
  await at(phrases[1]);
  await expect(vocabulary.focus.reason).toHaveValue('');
  await keyboard.press('k');
  await at(phrases[0]);

  await keyboard.press('m');
  await expect(vocabulary.focus.merge.first()).toBeFocused();
  const merged = vocabulary.page.waitForEvent('load');
  await keyboard.press('Enter');
  await merged;
  await vocabulary.ready();
  await expect(vocabulary.flash).toContainText(`“${phrases[0]}” is now an alias of “${term}”.`);
  await at(phrases[1]);
  await expect.poll(() => vocabulary.query()).toMatchObject({ q: `ebb tide ${mark}` });

  await keyboard.press('r');
  await keyboard.type('Not ours.');
  const rejected = vocabulary.page.waitForEvent('load');
  await keyboard.press('Enter');
  await rejected;
  await vocabulary.ready();
  await expect(vocabulary.flash).toContainText(`“${phrases[1]}” was rejected.`);
  await at(phrases[2]);

  await keyboard.press('a');
  await expect(vocabulary.focus.term).toBeFocused();
  const approved = vocabulary.page.waitForEvent('load');
  await keyboard.press('Enter');
  await approved;
  await vocabulary.ready();
  await expect(vocabulary.flash).toContainText(`“${phrases[2]}” is a term now.`);
  await expect(vocabulary.focus.panel).toBeHidden();
  await expect(vocabulary.empty).toBeVisible();
});

test('the second of two reviewers sees what the first decided', async ({ vocabulary, agent, browser, gate, session }) => {
  const phrase = unique('rudder');
  await agent.remember({ topic_raw: phrase, content: 'It steers.' });
  await vocabulary.open(phrase);
  const other = await another(browser, gate, { storageState: session });
  const faster = new VocabularyPage(other.page, true);
  await faster.open(phrase);
  await faster.focus.reason.fill('Too short a word.');
  await faster.send(faster.focus.reject);
  await other.page.context().close();

  await vocabulary.send(vocabulary.focus.approve);
  await expect(vocabulary.flash).toHaveRole('alert');
  await expect(vocabulary.flash).toContainText(`“${phrase}” was rejected by Vera meanwhile.`);
  await expect(vocabulary.focus.decided).toContainText('Reason: Too short a word.');
});

test('the most frequent proposals come first, and the address holds the filters', { tag: '@no-js' }, async ({ vocabulary, agent }) => {
  const mark = unique('anchor');
  const [rare, often] = [`stream ${mark}`, `sheet ${mark}`];
  await agent.remember({ topic_raw: often, content: 'The heaviest on board, for the worst of weather.' });
  await agent.remember({ topic_raw: often, content: 'Painted white in the spring by the boatswain himself.' });
  await agent.remember({ topic_raw: rare, content: 'Carried at the stern.' });
  await vocabulary.gotoUntil(`/vocabulary?${new URLSearchParams({ q: mark })}`, async () =>
    expect(await vocabulary.phrases.allInnerTexts()).toEqual([often, rare]),
  );
  await expect(vocabulary.row(often).locator('td.number')).toHaveText('2');
  await expect(vocabulary.total).toHaveText('2 open proposals');
  await vocabulary.state.selectOption('Rejected');
  await vocabulary.apply.click();
  await expect(vocabulary.empty).toContainText('No proposal matches');
  await expect.poll(() => vocabulary.query()).toEqual({ q: mark, status: 'rejected' });
  await vocabulary.clear.click();
  await expect(vocabulary.page).toHaveURL('/vocabulary');
});

test('a decision is recorded in the audit log', async ({ vocabulary, audit, decisions, agent }) => {
  const phrase = unique('ledger');
  await vocabulary.term(agent, phrase);
  await audit.gotoUntil('/audit?action=vocabulary.approve', async () => expect(await audit.main.innerText()).toContain(phrase));
  const entry = audit.entries.filter({ hasText: phrase });
  await expect(entry).toContainText('Term approved');
  await entry.getByRole('link').click();
  await expect(decisions.heading).toHaveText('Decisions');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('reads everything and is offered no decision', { tag: '@no-js' }, async ({ vocabulary, decide, decisions, agent, gate }) => {
    gate.expect(403);
    const phrase = unique('harbour dues');
    await agent.remember({ topic_raw: phrase, content: 'Paid on Fridays.' });
    await vocabulary.open(phrase);
    await expect(vocabulary.focus.evidence).toContainText('Paid on Fridays.');
    await expect(vocabulary.page.getByRole('checkbox')).toHaveCount(0);
    await expect(vocabulary.focus.panel.getByRole('button')).toHaveCount(0);
    await expect(vocabulary.approveSelected).toHaveCount(0);
    const id = new URL(vocabulary.page.url()).searchParams.get('focus');
    await decide.goto(`/vocabulary/decide?ids=${id}&what=approve`);
    await expect(decide.error).toContainText('Your role does not allow this');
    await expect(decide.confirm).toHaveCount(0);
    await decisions.goto('/vocabulary/decisions');
    await expect(decisions.page.getByRole('button', { name: /^Undo/ })).toHaveCount(0);
  });

  test('is rejected by the server', async ({ vocabulary, agent, gate }) => {
    gate.expect(403);
    const phrase = unique('harbour toll');
    await agent.remember({ topic_raw: phrase, content: 'Paid on Mondays.' });
    await vocabulary.open(phrase);
    const ids = new URL(vocabulary.page.url()).searchParams.get('focus') ?? '';
    const fields = { ids, what: 'reject', reason: 'By the back door.' };
    expect(await sendByHand(vocabulary.page, '/console/api/decide_proposals', fields)).toBe(403);
    await vocabulary.openWith(phrase, 1);
  });
});

test('a reason that was not sent waits at its proposal', async ({ vocabulary, agent }) => {
  const mark = unique('lantern');
  const topics = ['one', 'two'].map((name) => `${mark} ${name}`);
  await agent.rememberAll(topics.map((topic_raw) => ({ topic_raw, content: `What is known about ${topic_raw}.` })));
  await vocabulary.openWith(mark, 2);
  const [one, two] = (await vocabulary.phrases.allInnerTexts()) as [string, string];
  const open = async (phrase: string) => {
    await vocabulary.row(phrase).getByRole('link').click();
    await expect(vocabulary.focus.phrase).toHaveText(phrase);
  };
  await open(one);
  await vocabulary.focus.reason.fill('Half a reason');
  await open(two);
  await expect(vocabulary.focus.reason).toHaveValue('');
  await open(one);
  await expect(vocabulary.focus.reason).toHaveValue('Half a reason');
  await vocabulary.send(vocabulary.focus.reject);
  await expect(vocabulary.flash).toContainText(`“${one}” was rejected.`);
});
