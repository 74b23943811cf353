import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test('Ctrl K goes to pages, actions, agents, projects, memories and terms by their names, and to memories by their words', async ({ frame, vocabulary, projects, agent, page }) => {
  const mark = unique('jetty');
  await vocabulary.term(agent, `term ${mark}`);
  const word = unique('storm').replace(' ', '');
  const { memory_id, short_id } = await agent.remember({ topic_raw: `memory ${mark}`, content: `The jetty is closed since the ${word}.` });
  const open = async (text: string, kind: string, name: string) => {
    await page.keyboard.press('Control+k');
    await expect(frame.goTo.field).toBeFocused();
    await frame.goTo.field.fill(text);
    const option = frame.goTo.option(kind, name);
    await expect(option).toBeVisible();
    while (!(await frame.goTo.chosen.and(option).count())) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(frame.goTo.dialog).toBeHidden();
  };

  await frame.goto('/memories');
  await open('audit log', 'Page', 'Audit');
  await expect(page).toHaveURL('/audit');
  await open(agent.slug, 'Agent', agent.slug);
  await expect(page).toHaveURL(`/agents/${agent.id}`);
  const project = mark.replace(' ', '-');
  await projects.goto('/projects');
  await projects.create(project, 'The jetty');
  await open(project, 'Project', project);
  await expect(page).toHaveURL(/\/projects\/[0-9a-f-]{36}$/);
  await open(short_id, 'Memory', `memory ${mark}`);
  await expect(page).toHaveURL(`/memories/${memory_id}`);
  await open('erase a', 'Action', 'Erase a person…');
  await expect(page).toHaveURL('/erasure');
  await open(word, 'Memory', `memory ${mark}`);
  await expect(page).toHaveURL(`/memories/${memory_id}`);
  await open(`term ${mark}`, 'Term', `term ${mark}`);
  await expect(page).toHaveURL(/\/vocabulary\/terms\/[0-9a-f-]{36}$/);
});

test('the menu opens from its link, moves with the arrows and closes with Escape', async ({ frame, page }) => {
  await frame.goto('/agents');
  await frame.searchLink.click();
  await expect(frame.goTo.dialog).toBeVisible();
  await frame.goTo.field.fill('policy');
  await expect(frame.goTo.options.nth(1)).toContainText('Lifecycle policy');
  await expect(frame.goTo.chosen).toContainText('Capture policy');
  await page.keyboard.press('ArrowUp');
  await expect(frame.goTo.options.last()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(frame.goTo.chosen).toContainText('Capture policy');
  await page.keyboard.press('Escape');
  await expect(frame.goTo.dialog).toBeHidden();
  await expect(page).toHaveURL('/agents');
});

test('the menu offers to search memories for a text that is no name', async ({ frame, page }) => {
  await frame.goto('/agents');
  await frame.searchLink.click();
  await frame.goTo.field.fill(unique('nothing').replace(' ', ''));
  await expect(frame.goTo.dialog).toContainText('No results.');
  await frame.goTo.dialog.getByRole('link', { name: 'Search memories' }).click();
  await expect(frame.goTo.dialog).toBeHidden();
  await expect(page).toHaveURL(/\/memories\?q=nothing/);
});

test('the search page does the same without JavaScript', { tag: ['@no-js', '@phone'] }, async ({ searchPage, agent }) => {
  const mark = unique('pier');
  const { memory_id } = await agent.remember({ topic_raw: mark, content: 'The pier is open.' });
  await searchPage.goto('/search');
  await searchPage.field.fill(mark);
  await searchPage.search.click();
  const link = searchPage.places.filter({ hasText: 'Memory' }).getByRole('link', { name: mark });
  await expect(link).toHaveAttribute('href', `/memories/${memory_id}`);
  await searchPage.goto(`/search?q=${unique('nothing').replace(' ', '')}`);
  await expect(searchPage.empty).toContainText('No results');
});

test('the question mark lists the keys of the page', async ({ frame, page }) => {
  await frame.goto('/memories');
  await page.keyboard.press('?');
  await expect(frame.shortcuts).toBeVisible();
  await expect(frame.shortcuts).toContainText('Go to anything by its name');
  await expect(frame.shortcuts).toContainText('Ctrl K');
  await expect(frame.shortcuts).toContainText('Search memories');
  await page.keyboard.press('Escape');
  await expect(frame.shortcuts).toBeHidden();
});
