import { unique } from '../support/agent';
import { expect, test } from '../support/test';

// From a phone to a wide screen, tables give up columns before the column that names their rows.

const HEIGHT = 900;
const WIDTHS = [390, 820, 1024, 1152, 1440];
/** The least width of a column in which people read names, in pixels. */
const NAME = 120;

/** Lists of the demo, and the column that names a row of each. */
const LISTS = {
  '/agents': 'Agent',
  '/accounts': 'Person',
  '/memories': 'Memory',
  '/people': 'Person',
  '/inbox': 'Candidate',
  '/sources': 'Source',
  '/sessions': 'Session',
  '/events': 'Work',
  '/vocabulary': 'Phrase',
  '/vocabulary/terms': 'Term',
  '/vocabulary/decisions': 'What',
  '/knowledge': 'Document',
  '/recall/log': 'Query',
  '/recall/contexts': 'Query',
  '/audit': 'What',
};
/** Pages whose tables may be empty. */
const OTHERS = ['/erasure', '/usage', '/projects', '/quality/expectations', '/people/users', '/agents/connect', '/password'];

test('names stay readable in windows of every width', async ({ frame, retrieval, vocabulary, decide, agent, gate }) => {
  // The log is written a moment behind the answer.
  gate.expect(404);
  const { memory_id } = await agent.remember({ topic_raw: unique('capstan'), content: 'The capstan is greased every spring.' });
  const { retrieval_id } = await agent.ask('When is the capstan greased?');
  await retrieval.open(retrieval_id);
  // Two decisions of one step are a row of their own kind.
  const mark = unique('halyard');
  await agent.rememberAll(['main', 'jib'].map((name) => ({ topic_raw: `${name} ${mark}`, content: `Where the ${name} ${mark} is led.` })));
  await vocabulary.openWith(mark, 2);
  await vocabulary.selectAll.check();
  await vocabulary.send(vocabulary.rejectSelected);
  await decide.reason.fill('Each has a name of its own.');
  await decide.send(decide.confirm);
  const own = {
    [`/recall/log/${retrieval_id}`]: 'Memory or knowledge',
    [`/recall/playground?agent=${agent.id}&q=when+is+the+capstan+greased`]: 'Candidate',
    [`/memories/delete?ids=${memory_id}`]: 'Memory',
    [`/agents/${agent.id}`]: 'Key',
  };
  for (const [path, name] of Object.entries({ ...LISTS, ...own })) {
    await frame.goto(path);
    const column = frame.main.getByRole('columnheader', { name, exact: true });
    for (const width of WIDTHS) {
      await frame.page.setViewportSize({ width, height: HEIGHT });
      const box = await column.boundingBox();
      expect.soft(box?.width ?? 0, `“${name}” of ${path} in a window of ${width} pixels`).toBeGreaterThanOrEqual(NAME);
      expect.soft(await frame.overflow(), `${path} is as wide as its window of ${width} pixels`).toBe(0);
      expect.soft(await frame.uneven(), `rows of ${path} with other columns than its head in a window of ${width} pixels`).toEqual([]);
    }
  }
  for (const path of OTHERS) {
    await frame.goto(path);
    for (const width of WIDTHS) {
      await frame.page.setViewportSize({ width, height: HEIGHT });
      expect.soft(await frame.overflow(), `${path} is as wide as its window of ${width} pixels`).toBe(0);
      expect.soft(await frame.uneven(), `rows of ${path} with other columns than its head in a window of ${width} pixels`).toEqual([]);
    }
  }
});

test('the button of filters is in line with the last field, or right below it', { tag: '@no-js' }, async ({ frame }) => {
  for (const path of ['/people', '/audit', '/sources', '/recall/contexts', '/vocabulary/terms', '/inbox/suggestions', '/audit?actor=zzz']) {
    await frame.goto(path);
    const filters = frame.main.getByRole('search');
    for (const width of WIDTHS) {
      await frame.page.setViewportSize({ width, height: HEIGHT });
      const button = await filters.getByRole('button', { name: 'Apply filters' }).boundingBox();
      const field = await filters.locator('.input').last().boundingBox();
      if (!button || !field) throw new Error(`${path} has no filters`);
      const below = button.y - (field.y + field.height);
      const apart = below < 0 ? Math.abs(button.y + button.height - field.y - field.height) : below;
      expect.soft(apart, `the button of ${path} in a window of ${width} pixels`).toBeLessThanOrEqual(below < 0 ? 2 : 16);
    }
  }
});

test('boxes are as large as a thumb needs', { tag: '@only-phone' }, async ({ frame }) => {
  for (const path of ['/memories', '/recall/contexts']) {
    await frame.goto(path);
    const box = await frame.main.getByRole('checkbox').last().boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), path).toBeGreaterThanOrEqual(24);
    expect(await frame.overflow(), path).toBe(0);
  }
});
