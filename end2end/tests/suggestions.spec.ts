import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('a contradiction between active memories is linked, another is declined', { tag: ['@phone', '@no-js'] }, async ({ suggestions, memory }) => {
  // Its own: what other tests remember resembles this.
  const agent = Agent.create();
  const [one, two] = [unique('harbour'), unique('parcel')];
  await agent.remember({ topic_raw: `opening of the ${one}`, content: `The ${one} opens on Monday at nine.` });
  await agent.remember({ topic_raw: `hours of the ${one}`, content: `The ${one} opens on Thursday at nine.` });
  await agent.remember({ topic_raw: `weight of the ${two}`, content: `Vera sent the ${two} to Oslo by ship.` });
  await agent.remember({ topic_raw: `way of the ${two}`, content: `Vera sent the ${two} to Malmö by ship.` });
  // Those of all agents are many: other tests remember thousands.
  const list = `/inbox/suggestions?agent=${agent.id}`;
  await suggestions.goto(list);
  await suggestions.send(suggestions.compare);
  await expect(suggestions.flash).toContainText('Active memories are being compared.');
  await expect.poll(() => suggestions.goto(list).then(() => suggestions.suggestions.count())).toBe(2);
  await expect(suggestions.suggestion(one)).toContainText('Two memories may contradict each other.');
  await expect(suggestions.suggestion(one)).toContainText(`The ${one} opens on Monday at nine.`);
  await expect(suggestions.suggestion(one)).toContainText(`The ${one} opens on Thursday at nine.`);

  await suggestions.send(suggestions.link(one));
  await expect(suggestions.flash).toContainText('The suggestion was accepted.');
  await expect(suggestions.suggestion(one)).toHaveCount(0);
  await suggestions.send(suggestions.decline(two));
  await expect(suggestions.flash).toContainText('The suggestion was declined.');
  await expect(suggestions.suggestion(two)).toHaveCount(0);

  await suggestions.send(suggestions.undo);
  await expect(suggestions.flash).toContainText('Undone.');
  await expect(suggestions.suggestions).toHaveCount(1);
  await expect(suggestions.suggestion(two)).toBeVisible();

  await suggestions.send(suggestions.same(two));
  await expect(suggestions.flash).toContainText('Merged.');
  await expect(suggestions.suggestion(two)).toHaveCount(0);
  await suggestions.send(suggestions.undo);
  await expect(suggestions.suggestion(two)).toBeVisible();

  const [id] = await agent.recall(`When does the ${one} open?`);
  await memory.open(id ?? '');
  await expect(memory.main).toContainText('contradicts');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('reads suggestions and is offered no decision', { tag: '@no-js' }, async ({ suggestions }) => {
    await suggestions.goto('/inbox/suggestions');
    await expect(suggestions.main.getByRole('button')).toHaveText(['Apply filters']);
  });
});

test('a page whose rows are gone leads to the first', { tag: '@no-js' }, async ({ frame }) => {
  const [past, future] = [`0-${'0'.repeat(32)}`, `${(4_102_444_800_000_000).toString(16)}-${'f'.repeat(32)}`];
  const ends = { '/inbox/suggestions': future, '/knowledge/runs': past };
  for (const [path, after] of Object.entries(ends)) {
    await frame.goto(`${path}?after=${after}`);
    await expect(frame.empty, path).toContainText('Nothing is left on this page');
    await frame.empty.getByRole('link', { name: 'First page' }).click();
    await expect(frame.page).toHaveURL(path);
  }
});
