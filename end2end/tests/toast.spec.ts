import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test('the answer to a decision on row 31 is in sight, and the page goes on at the next row', async ({ vocabulary, agent, page }) => {
  const mark = unique('anchor');
  const names = Array.from({ length: 34 }, (_, n) => `${mark} number ${n}`);
  await agent.rememberAll(names.map((topic_raw) => ({ topic_raw, content: `What is known about ${unique('it')}.` })));
  await vocabulary.openWith(mark, 34);
  const phrases = await vocabulary.phrases.allInnerTexts();
  await vocabulary.row(phrases[30] ?? '').getByRole('link').click();
  await expect(vocabulary.focus.phrase).toHaveText(phrases[30] ?? '');
  await vocabulary.focus.reason.fill('Not ours.');
  await vocabulary.send(vocabulary.focus.reject);
  await expect(vocabulary.flash).toContainText(`“${phrases[30]}” was rejected.`);
  await expect(vocabulary.flash).toBeInViewport({ ratio: 1 });
  await expect(vocabulary.focus.phrase).toHaveText(phrases[31] ?? '');
  await expect(vocabulary.row(phrases[31] ?? '')).toBeInViewport();
  await expect(vocabulary.row(phrases[31] ?? '')).toBeFocused();
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(vocabulary.flash).toBeInViewport({ ratio: 1 });
  await vocabulary.send(vocabulary.undo);
  await expect(vocabulary.flash).toContainText(`The decision on “${phrases[30]}” was undone.`);
});

test('a deletion of several memories is undone, and only that one', { tag: ['@no-js', '@phone'] }, async ({ memories, deletion, agent }) => {
  const mark = unique('cable');
  const remembered = await agent.rememberAll(['one', 'two', 'three'].map((name) => ({ topic_raw: `${name} ${mark}`, content: `Cable ${name} is stored.` })));
  const ids = remembered.map(({ memory_id }) => memory_id);
  await agent.forget(ids[0] ?? '', 'sold');
  await deletion.goto(`/memories/delete?${new URLSearchParams([...ids.map((id) => ['ids', id]), ['back', agent.memories({ topic: mark })]])}`);
  await deletion.reason.fill('The store moves.');
  await deletion.send(deletion.confirm);
  await expect(memories.flash).toContainText('Deleted 2 memories. One was deleted before.');
  await expect(memories.flash).toBeInViewport({ ratio: 1 });
  await memories.send(memories.flash.getByRole('button', { name: 'Undo' }));
  await expect(memories.flash).toContainText('Undone for 2 memories.');
  await expect(memories.total).toHaveText('2 memories');
});

test('a message is dismissed', { tag: '@no-js' }, async ({ memory, agent }) => {
  const { memory_id } = await agent.remember({ topic_raw: unique('rope'), content: 'The rope is new.' });
  await memory.goto(`/memories/${memory_id}`);
  await memory.send(memory.page.getByRole('button', { name: 'Pin memory' }));
  await expect(memory.flash).toContainText('Pinned.');
  await memory.dismissFlash.click();
  await expect(memory.flash).toBeHidden();
});

test('after a form the keyboard goes on at its message, and the page stays where it was', async ({ memory, agent, page }) => {
  const lines = Array.from({ length: 60 }, (_, n) => `Berth ${n} is free.`).join('\n');
  const { memory_id } = await agent.remember({ topic_raw: unique('berths'), content: lines });
  await memory.goto(`/memories/${memory_id}`);
  const pin = page.getByRole('button', { name: 'Pin memory' });
  await pin.focus();
  await page.evaluate(() => window.scrollBy(0, 40));
  const top = await page.evaluate(() => window.scrollY);
  expect(top).toBeGreaterThan(0);
  const loaded = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await loaded;
  await memory.ready();
  await expect(memory.flash).toContainText('Pinned.');
  await expect(memory.flash).toBeFocused();
  expect(await page.evaluate(() => window.scrollY)).toBe(top);
  await page.keyboard.press('Tab');
  await expect(memory.undo).toBeFocused();
});
