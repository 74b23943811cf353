import { randomUUID } from 'node:crypto';
import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

// Two days off, so that midnight may pass meanwhile.
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

test('the form puts the filters into the address, and a reload keeps them', { tag: ['@phone', '@no-js'] }, async ({ memories, agent }) => {
  const topic = unique('harbour');
  await agent.rememberAll([
    { topic_raw: topic, content: 'The harbour office closes at four.', source: { platform: 'drive', channel_id: 'D-harbour' } },
    { topic_raw: topic, content: 'Moorings are paid for on the first of the month.', source: { platform: 'slack', channel_id: 'C-harbour' } },
  ]);
  await memories.goto('/memories');
  await memories.unfold();
  await memories.page.getByLabel('Topic contains').fill(topic.toUpperCase());
  await memories.page.getByLabel('Platform').fill('drive');
  await memories.apply.click();
  await expect(memories.total).toHaveText('1 memory');
  await expect.poll(() => memories.query()).toEqual({ topic: topic.toUpperCase(), platform: 'drive' });
  await expect(memories.rows).toContainText('closes at four');

  await memories.page.reload();
  await memories.ready();
  await expect(memories.total).toHaveText('1 memory');
  await expect(memories.page.getByLabel('Topic contains')).toHaveValue(topic.toUpperCase());
  await expect(memories.page.getByLabel('Platform')).toHaveValue('drive');

  await memories.unfold();
  await memories.page.getByLabel('Platform').fill('');
  await memories.apply.click();
  await expect(memories.total).toHaveText('2 memories');
  await expect.poll(() => memories.query()).toEqual({ topic: topic.toUpperCase() });
  await memories.page.goBack();
  await expect(memories.total).toHaveText('1 memory');
  await expect(memories.page.getByLabel('Platform')).toHaveValue('drive');
});

test('every filter filters the list', async ({ memories, agent }) => {
  const mark = unique('mark');
  const person = randomUUID();
  const [slack, drive, personal, gone] = [`slack ${mark}`, `drive ${mark}`, `personal ${mark}`, `gone ${mark}`];
  const made = await agent.rememberAll([
    { topic_raw: slack, content: 'Lunch is at half past twelve.', source: { platform: 'slack', channel_id: 'C-lunch' } },
    { topic_raw: drive, content: 'The seating plan hangs beside the door.', source: { platform: 'drive', channel_id: 'D-plan' } },
    { topic_raw: personal, content: 'She is allergic to hazelnuts.', user_id: person },
    { topic_raw: gone, content: 'Somebody had a birthday.' },
  ]);
  await agent.forget(made[3]?.memory_id ?? '', 'a private matter');

  const shows = async (filters: Record<string, string>, topics: string[]) => {
    await memories.goto(agent.memories({ topic: mark, ...filters }));
    if (topics.length > 0) await expect(memories.topics).toHaveText(topics);
    else await expect(memories.empty).toContainText('No memory matches these filters');
  };
  await shows({}, [personal, drive, slack]);
  await shows({ platform: 'slack' }, [personal, slack]);
  await shows({ platform: 'slac' }, []);
  await shows({ channel: 'D-plan' }, [drive]);
  await shows({ user: person }, [personal]);
  await shows({ canonical: 'false' }, [personal, drive, slack]);
  await shows({ canonical: 'true' }, []);
  await shows({ from: day(-1), until: day(1) }, [personal, drive, slack]);
  await shows({ until: day(-2) }, []);
  await shows({ from: day(2) }, []);
  await shows({ deleted: 'true' }, [gone]);
  await expect(memories.total).toHaveText('1 deleted memory');
  await shows({ agent: randomUUID() }, []);
});

test('memories can be filtered by kind, scope, status, category and project', { tag: '@no-js' }, async ({ memories }) => {
  const agent = Agent.create();
  const mark = unique('record');
  const project = randomUUID();
  const [fact, decision, story] = [`fact ${mark}`, `decision ${mark}`, `story ${mark}`];
  const [old, , recent] = await agent.rememberAll([
    { topic_raw: fact, content: 'The boathouse key hangs behind the door.' },
    { topic_raw: decision, content: 'Deployments happen on Tuesdays, because nobody is away.', kind: 'decision', scope: 'project', project_id: project },
    { topic_raw: story, content: 'In spring the key was lost and found again in the canoe.', kind: 'episode' },
  ]);
  await agent.link(recent?.memory_id ?? '', 'supersedes', old?.memory_id ?? '');
  const shows = async (filters: Record<string, string>, topics: string[]) => {
    await memories.goto(agent.memories({ topic: mark, ...filters }));
    await expect(memories.topics).toHaveText(topics);
  };
  await shows({}, [story, decision, fact]);
  await shows({ kind: 'decision' }, [decision]);
  await expect(memories.row(decision).getByText('decision', { exact: true })).toBeVisible();
  await shows({ scope: 'agent' }, [story, fact]);
  await shows({ scope: 'project', project }, [decision]);
  await shows({ status: 'superseded' }, [fact]);
  await shows({ status: 'active', kind: 'episode' }, [story]);
  await shows({ category: 'person' }, []);
  await shows({ project: randomUUID() }, []);
});

test('active filters are visible and can be removed one by one', { tag: ['@phone', '@no-js'] }, async ({ memories, agent }) => {
  const topic = unique('pontoon');
  await agent.remember({ topic_raw: topic, content: 'The pontoon is closed for repairs.', kind: 'decision' });
  await memories.goto(agent.memories({ topic, kind: 'decision', deleted: 'false' }));
  await expect(memories.apply).toBeHidden();
  await expect(memories.chips).toHaveText([`Topic: ${topic}: remove this filter`, 'Kind: decision: remove this filter', 'Not deleted: remove this filter']);
  await expect(memories.chips.first()).toBeInViewport();
  await memories.page.getByRole('link', { name: /^Kind: decision/ }).click();
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id, topic, deleted: 'false' });
  await expect(memories.chips).toHaveText([`Topic: ${topic}: remove this filter`, 'Not deleted: remove this filter']);
  await expect(memories.topics).toHaveText([topic]);
});

test('conflicting and unknown filters are rejected', { tag: '@no-js' }, async ({ memories }) => {
  await memories.goto('/memories?kind=novel&project=boathouse');
  await expect(memories.error).toContainText('Choose one of the kinds.');
  await expect(memories.page.getByRole('combobox', { name: 'Kind' })).toHaveAccessibleDescription('Choose one of the kinds.');
  await expect(memories.page.getByLabel('Project')).toHaveAccessibleDescription('Enter a UUID.');
  await memories.goto('/memories?q=tea&status=archived');
  await expect(memories.page.getByRole('combobox', { name: 'Status' })).toHaveAccessibleDescription(/Search finds active and contradicted memories only/);
  await memories.goto('/memories?q=tea&deleted=true');
  await expect(memories.error).toContainText('Search does not find deleted memories.');
});

test('canonical topics are marked', async ({ memories, agent }) => {
  await agent.remember({ topic_raw: 'stage-db', content: `The staging database answers to ${unique('alias')}.` });
  await memories.goto(agent.memories({ canonical: 'true' }));
  await expect(memories.topics.first()).toHaveText('staging database');
  await expect(memories.rows.first().getByText('term', { exact: true })).toBeVisible();
});

test('a choice applies at once', async ({ memories }) => {
  const agent = Agent.create();
  const topic = unique('marina');
  await agent.remember({ topic_raw: topic, content: 'The marina closes at four.' });
  await memories.goto('/memories');
  await memories.agent.selectOption(agent.id);
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id });
  await expect(memories.topics).toHaveText([topic]);
});

test('an invalid filter is explained at its field', { tag: '@no-js' }, async ({ memories }) => {
  await memories.goto('/memories?user=a%0Ab');
  const field = memories.page.getByLabel('User', { exact: true });
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(field).toHaveAccessibleDescription(/a reference or a name/);
  await expect(memories.error).toContainText('Invalid input');
  await memories.error.getByRole('link', { name: 'Start over' }).click();
  await expect(memories.rows).toHaveCount(50);

  await memories.goto('/memories?from=2026-05-02&until=2026-05-01');
  await expect(memories.page.getByLabel('Updated until')).toHaveAccessibleDescription('The end is before the beginning.');
});

test('an empty list says so and links to all memories', { tag: ['@phone', '@no-js'] }, async ({ memories }) => {
  await memories.goto(`/memories?topic=${unique('nowhere')}`);
  await expect(memories.empty.getByRole('heading')).toHaveText('No memory matches these filters');
  await expect(memories.rows).toHaveCount(0);
  await memories.empty.getByRole('link', { name: 'Clear all' }).click();
  await expect(memories.page).toHaveURL('/memories');
  await expect(memories.rows).toHaveCount(50);
});

test('pages follow one another without gap or repetition', { tag: '@no-js' }, async ({ memories }) => {
  const agent = Agent.create();
  const topics = Array.from({ length: 53 }, (_, i) => `page ${String(i + 1).padStart(2, '0')}`);
  await agent.rememberAll(topics.map((topic) => ({ topic_raw: topic, content: `What is written about ${topic}.` })));
  const newestFirst = topics.toReversed();

  await memories.goto(agent.memories());
  await expect(memories.total).toHaveText('53 memories, 50 on this page');
  await expect(memories.topics).toHaveText(newestFirst.slice(0, 50));
  await expect(memories.step('Newer')).toHaveCount(0);

  await memories.step('Older').click();
  await expect(memories.topics).toHaveText(newestFirst.slice(50));
  await expect(memories.total).toHaveText('53 memories, 3 on this page');
  await expect.poll(() => Object.keys(memories.query())).toEqual(['agent', 'after']);
  await expect(memories.step('Older')).toHaveCount(0);

  // Something new on the first page moves nothing on the second.
  await agent.remember({ topic_raw: 'latest', content: 'Written while somebody was reading.' });
  await memories.page.reload();
  await memories.ready();
  await expect(memories.topics).toHaveText(newestFirst.slice(50));

  await memories.step('Newer').click();
  await expect(memories.topics).toHaveText(newestFirst.slice(0, 50));
  await memories.step('Newer').click();
  await expect(memories.topics).toHaveText(['latest']);
  await memories.page.goBack();
  await expect(memories.topics).toHaveText(newestFirst.slice(0, 50));
});

test('the list can be exported as a file', { tag: '@phone' }, async ({ memories, agent }) => {
  const topic = unique('ledger');
  await agent.rememberAll([
    { topic_raw: topic, content: 'The ledger is balanced on Mondays.' },
    { topic_raw: unique('other'), content: 'The other ledger is blue.' },
  ]);
  await memories.goto(agent.memories({ topic }));
  const link = memories.page.getByRole('link', { name: 'Export as JSON Lines' });
  await expect(link).toHaveAttribute('download', '');
  const file = await memories.page.request.get((await link.getAttribute('href')) ?? '');
  expect(file.headers()['content-disposition']).toContain('attachment');
  const lines = (await file.text()).trim().split('\n');
  const records = lines.map((line) => JSON.parse(line) as { type: string; content?: string });
  expect(records.filter((record) => record.type === 'memory').map((record) => record.content)).toEqual(['The ledger is balanced on Mondays.']);
  expect(records.at(-1)?.type).toBe('footer');
  await memories.goto('/memories?q=ledger');
  await expect(memories.page.getByRole('link', { name: 'Export as JSON Lines' })).toBeHidden();
});
