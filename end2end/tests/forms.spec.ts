import { Agent, unique } from '../support/agent';
import { sendByHand } from '../support/form';
import { expect, test } from '../support/test';

test('a form that was smuggled into a page changes nothing', async ({ memory, agent, gate, page }) => {
  gate.expect(403);
  const topic = unique('lantern');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: `The ${topic} hangs in the hall.` });
  await memory.open(memory_id);
  await page.evaluate((ids) => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/console/api/delete_memories' });
    const field = ([name, value]: [string, string]) => Object.assign(document.createElement('input'), { name, value });
    form.append(...Object.entries({ ids, reason: 'By the back door.' }).map(field));
    document.querySelector('main')?.append(form);
    form.submit();
  }, memory_id);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This form has expired');
  await expect(page.getByText('Nothing was changed.')).toBeVisible();
  await page.getByRole('link', { name: 'Back to the page' }).click();
  await expect(memory.content).toContainText('hangs in the hall');
  await expect(memory.deleted).toHaveCount(0);
  expect(await agent.recall(`Where is the ${topic}?`)).toContain(memory_id);
});

test('forms work from every page, also after the next page was shown in place', { tag: '@no-js' }, async ({ memory, memories, agent, page }) => {
  const topic = unique('buoy');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: `The ${topic} is red.` });
  await memories.goto(agent.memories());
  await memories.rows.first().getByRole('link').first().click();
  await page.getByRole('link', { name: 'Open page' }).click();
  await expect(memory.heading).toHaveText(topic);
  await memory.ready();
  await memory.unfoldDelete.click();
  await memory.reason.fill('It was painted.');
  await memory.send(memory.delete);
  await expect(memory.flash).toContainText('Deleted 1 memory: “');
  await memory.send(memory.undo);
  expect(await agent.recall(`What colour is the ${topic}?`)).toContain(memory_id);
});

test('a shared memory that changed meanwhile is reviewed only after both texts were shown', { tag: ['@phone', '@no-js'] }, async ({ memory }) => {
  const agent = Agent.create(['commons:write']);
  const topic = unique('ferry');
  const said = { topic_raw: topic, commons: true, scope: 'global' };
  const { memory_id } = await agent.remember({ ...said, content: `The ${topic} leaves on Tuesdays.` });
  await memory.open(memory_id);
  await agent.revise(memory_id, `The ${topic} leaves on Fridays.`);
  await memory.send(memory.markReviewed);
  await expect(memory.flash).toHaveRole('alert');
  await expect(memory.changed).toContainText(`The ${topic} leaves on Tuesdays.`);
  await expect(memory.changed).toContainText(`The ${topic} leaves on Fridays.`);
  await memory.send(memory.markReviewed);
  await expect(memory.flash).toContainText('Reviewed 1 memory: “');
  await expect(memory.changed).toHaveCount(0);
});

test('a candidate that changed meanwhile is decided only after both texts were shown', { tag: '@phone' }, async ({ capture, source, inbox, agent, page }) => {
  const what = unique('tiller');
  await capture.capture(agent, `We decided to varnish the ${what} because it is dry.`, unique('Note'), 'Note');
  await source.read();
  await inbox.open(agent, what);
  const id = inbox.query().focus ?? '';
  const field = inbox.focus.panel.locator('input[name=shown]').first();
  const shown = (await field.getAttribute('value')) ?? '';
  // Another reviewer confirms it under another topic and takes that back.
  expect(await sendByHand(page, '/console/api/decide_candidates', { ids: id, shown, what: 'confirm', topic: `care of the ${what}` })).toBe(200);
  expect(await sendByHand(page, '/console/api/undo_candidates', { ids: id })).toBe(200);
  await inbox.send(inbox.focus.confirm);
  await expect(inbox.flash).toHaveRole('alert');
  await expect(inbox.focus.changed).toContainText('The content is the same');
  await inbox.send(inbox.focus.confirm);
  await expect(inbox.flash).toContainText('Confirmed 1 candidate.');
});

test('a statement that nobody edited is shown as it is now after a refusal', { tag: '@phone' }, async ({ capture, source, inbox, agent, page }) => {
  const what = unique('rudder');
  await capture.capture(agent, `Vera: Good morning.\nIdris: We decided to oil the ${what} because it squeaks.`, unique('Talk'));
  await source.read();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await inbox.open(agent, what);
  expect(await sendByHand(page, '/console/api/rename_speaker', { source: id, speaker: 'Idris', shown: '1', name: 'Idris Hale' })).toBe(200);
  await inbox.send(inbox.focus.confirm);
  await expect(inbox.flash).toHaveRole('alert');
  await inbox.focus.adjust.click();
  await expect(inbox.focus.content).toHaveValue(/Idris Hale/);
  await inbox.send(inbox.focus.confirm);
  await expect(inbox.flash).toContainText('Confirmed 1 candidate.');
});

test('a field of a form is required or says that it is optional', { tag: '@no-js' }, async ({ frame }) => {
  for (const path of ['/memories/new', '/vocabulary/terms/new', '/projects', '/usage', '/lifecycle/policy', '/recall/policy']) {
    await frame.goto(path);
    const fields = frame.main.locator('form[method=post] :is(input.input, textarea)');
    expect(await fields.count(), path).toBeGreaterThan(1);
    const unmarked = await fields.evaluateAll((all: HTMLInputElement[]) => {
      const optional = (field: HTMLInputElement) => field.labels?.[0]?.textContent?.includes('(optional)');
      return all.filter((field) => !field.required && !optional(field)).map((field) => field.name);
    });
    expect(unmarked, path).toEqual([]);
  }
});
