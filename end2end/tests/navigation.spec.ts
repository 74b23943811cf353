import { unique, type Agent } from '../support/agent';
import { expect, test } from '../support/test';

/** Memories with a word in common, as many as `count`, and the URL of their list. */
async function listed(agent: Agent, count: number): Promise<{ list: string; topics: string[] }> {
  const mark = unique('walk');
  const topics = Array.from({ length: count }, (_, n) => `${mark} number ${n}`);
  await agent.rememberAll(topics.map((topic_raw) => ({ topic_raw, content: `Everything about the ${topic_raw}.` })));
  return { list: agent.memories({ topic: mark }), topics: topics.toReversed() };
}

test('the next page is shown without loading the document', async ({ frame, page }) => {
  await frame.goto('/agents');
  await page.evaluate(() => document.documentElement.setAttribute('data-same', ''));
  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await expect(frame.heading).toHaveText('Audit');
  await expect(page).toHaveURL('/audit');
  await expect(page).toHaveTitle('Audit · Remembrancer');
  await expect(page.getByRole('link', { name: 'Audit', exact: true })).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('link', { name: 'Agents', exact: true })).not.toHaveAttribute('aria-current');
  await expect(page.getByRole('link', { name: 'Audit', exact: true })).toBeFocused();
  await page.goBack();
  await expect(frame.heading).toHaveText('Agents');
  await expect(page.locator('html[data-same]')).toHaveCount(1);
});

test('ticks and typed text stay while the panel steps through the list', async ({ memories, agent, page }) => {
  const { list, topics } = await listed(agent, 3);
  await memories.goto(list);
  await memories.select(topics[1] ?? '').check();
  await memories.question.fill('not yet sent');
  await memories.topic(topics[0] ?? '').click();
  await expect(memories.peek.topic).toHaveText(topics[0] ?? '');
  await memories.question.blur();
  await page.keyboard.press('j');
  await expect(memories.peek.topic).toHaveText(topics[1] ?? '');
  await expect(memories.select(topics[1] ?? '')).toBeChecked();
  await expect(memories.select(topics[0] ?? '')).not.toBeChecked();
  await expect(memories.main).toContainText('1 memory selected');
  await expect(memories.question).toHaveValue('not yet sent');
});

test('three quick presses of a key are three steps', async ({ memories, agent, page }) => {
  const { list, topics } = await listed(agent, 4);
  await memories.goto(list);
  for (let press = 0; press < 3; press++) await page.keyboard.press('j');
  await expect(memories.peek.topic).toHaveText(topics[2] ?? '');
  await expect(memories.row(topics[2] ?? '')).toHaveAttribute('aria-current', 'true');
});

test('a reason typed about one phrase is not there for the next', async ({ vocabulary, agent, page }) => {
  const mark = unique('reason');
  await agent.rememberAll(['one', 'two'].map((name) => ({ topic_raw: `${mark} ${name}`, content: `What is known about ${unique('it')}.` })));
  await vocabulary.openWith(mark, 2);
  await vocabulary.phrases.first().click();
  await vocabulary.focus.reason.fill('Not ours.');
  await vocabulary.focus.reason.blur();
  await page.keyboard.press('j');
  await expect(vocabulary.focus.phrase).toHaveText((await vocabulary.phrases.last().textContent()) ?? '');
  await expect(vocabulary.focus.reason).toHaveValue('');
});

test('going back shows the list where it was scrolled', async ({ memories, memory, agent, page }) => {
  const { list, topics } = await listed(agent, 40);
  await memories.goto(list);
  await memories.topic(topics[38] ?? '').scrollIntoViewIfNeeded();
  const top = await page.evaluate(() => window.scrollY);
  expect(top).toBeGreaterThan(500);
  await memories.topic(topics[38] ?? '').click();
  await memories.peek.open.click();
  await expect(memory.heading).toHaveText(topics[38] ?? '');
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  // The link that was clicked is gone.
  await expect(memory.main).toBeFocused();
  await page.goBack();
  await expect(memories.topic(topics[38] ?? '')).toBeInViewport();
});

test('a filter that is cleared leaves nothing of it in the form', async ({ vocabulary }) => {
  await vocabulary.goto('/vocabulary');
  await vocabulary.phrase.fill('no such phrase');
  await vocabulary.state.selectOption('rejected');
  await vocabulary.apply.click();
  await expect.poll(() => vocabulary.query()).toEqual({ q: 'no such phrase', status: 'rejected' });
  await vocabulary.clear.click();
  await expect.poll(() => vocabulary.query()).toEqual({});
  await expect(vocabulary.phrase).toHaveValue('');
  await expect(vocabulary.state).toHaveValue('');
});

test('a browser keeps the files of this version', async ({ frame, page }) => {
  const files: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/assets/')) files.push(`${new URL(response.url()).pathname.split('/').at(-1)} ${response.headers()['cache-control']}`);
  });
  await frame.goto('/agents');
  const kept = 'public, max-age=31536000, immutable';
  expect(files.sort()).toEqual(['console.js', 'remembrancer.css', 'remembrancer.js', 'remembrancer.wasm'].map((file) => `${file} ${kept}`));
});

test('a link to a part of the page loads nothing and moves there', async ({ frame, page }) => {
  await frame.goto('/agents');
  const requests: string[] = [];
  page.on('request', (request) => {
    // A page is a document of the browser or fetched by the console. The icon comes whenever the browser wants it.
    if (['document', 'fetch'].includes(request.resourceType())) requests.push(request.url());
  });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(frame.main).toBeFocused();
  await expect(page).toHaveURL('/agents#main');
  await page.keyboard.press('?');
  await expect(frame.shortcuts).toBeVisible();
  expect(requests).toEqual([]);
});

test('the older page of a list is shown from its top, and nothing is ticked', async ({ memories, agent, page }) => {
  const { list } = await listed(agent, 60);
  await memories.goto(list);
  await memories.selectAll.check();
  await expect(memories.main).toContainText('50 memories selected');
  await memories.step('Older').click();
  await expect(memories.rows).toHaveCount(10);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await expect(memories.main).toContainText('Select memories to delete them together.');
});
