import AxeBuilder from '@axe-core/playwright';
import type { Frame } from '../pages/frame';
import type { MemoryPage } from '../pages/memory';
import { unique, type Agent } from '../support/agent';
import { expect, SIGNED_OUT, test } from '../support/test';

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2);

interface With {
  frame: Frame;
  memory: MemoryPage;
  agent: Agent;
}

/** A memory whose words are longer than a phone is wide, with two versions. */
async function long(agent: Agent): Promise<string> {
  const topic = unique(LONG);
  const source = { platform: 'drive', channel_id: `D-${LONG.slice(0, 80)}` };
  await agent.remember({ topic_raw: topic, content: `${LONG} ${LONG} is where the meeting of the harbour board takes place at 9:30.`, source });
  const { memory_id } = await agent.remember({ topic_raw: topic, content: `${LONG} ${LONG} is where the meeting of the harbour board takes place at 9:45.`, source });
  return memory_id;
}

/** Every page of the console, in every state that looks different. */
const SIGHTS: Record<string, (on: With) => Promise<unknown>> = {
  agents: ({ frame }) => frame.goto('/agents'),
  memories: ({ frame }) => frame.goto('/memories'),
  'memories with long words': async ({ frame, agent }) => {
    await long(agent);
    await frame.goto(agent.memories({ topic: LONG.slice(0, 40) }));
  },
  'memories, filtered by what cannot be read': ({ frame }) => frame.goto('/memories?user=vera&platform=slack&from=2026-01-01'),
  'memories, nothing matches': ({ frame }) => frame.goto('/memories?topic=nothing+is+called+this'),
  'memories, deleted': ({ frame }) => frame.goto('/memories?deleted=true'),
  'a search': ({ frame }) => frame.goto('/memories?q=staging+db'),
  'a search without a hit': ({ frame, agent }) => frame.goto(agent.memories({ q: 'chess in Reykjavik', topic: 'nothing is called this' })),
  'a peek': async ({ frame, agent }) => {
    const id = await long(agent);
    await frame.goto(agent.memories({ topic: LONG.slice(0, 40), peek: id }));
  },
  'rows selected': async ({ frame }) => {
    await frame.goto('/memories?topic=staging');
    await frame.page.getByRole('checkbox', { name: /^Select “/ }).first().check();
  },
  'a memory': async ({ memory, agent }) => memory.openWithTrail(await long(agent), 2),
  'a memory, deletion refused': async ({ memory, agent }) => {
    const { memory_id } = await agent.remember({ topic_raw: unique('refused'), content: 'This one stays.' });
    await memory.open(memory_id);
    await memory.unfoldDelete.click();
    await memory.reason.fill(' ');
    await memory.send(memory.delete);
  },
  'a memory, deleted': async ({ memory, agent }) => {
    const { memory_id } = await agent.remember({ topic_raw: unique('deleted'), content: 'This one went.' });
    await agent.forget(memory_id, LONG);
    await memory.openWithTrail(memory_id, 2);
  },
  'the deletion of several': async ({ frame, agent }) => {
    const { memory_id } = await agent.remember({ topic_raw: unique(LONG), content: LONG });
    await frame.goto(`/memories/delete?ids=${memory_id}`);
  },
  'the deletion of nothing': ({ frame }) => frame.goto('/memories/delete'),
  'the audit log': ({ frame }) => frame.goto('/audit'),
  'the audit log, nothing matches': ({ frame }) => frame.goto('/audit?target=nothing'),
  'the audit log, asked what cannot be read': ({ frame }) => frame.goto('/audit?from=yesterday'),
  'an unknown memory': ({ frame }) => frame.goto('/memories/0198f000-0000-7000-8000-000000000000'),
  'an address that leads nowhere': ({ frame }) => frame.goto('/nowhere'),
};

/** What axe finds, one line for each, so that a failure can be read. */
async function violations(frame: Frame): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: frame.page }).withTags(STANDARDS).analyze();
  return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id} (${help}): ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`));
}

async function lookedAt(frame: Frame): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await frame.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await violations(frame), colorScheme).toEqual([]);
  }
  expect(await frame.overflow(), 'the page is as wide as its window').toBe(0);
}

test.describe('open to everybody', () => {
  for (const [sight, show] of Object.entries(SIGHTS)) {
    test(sight, { tag: '@phone' }, async ({ frame, memory, agent, gate }) => {
      gate.expect(404);
      await show({ frame, memory, agent });
      await lookedAt(frame);
    });
  }

  test('the menu', { tag: '@only-phone' }, async ({ frame }) => {
    await frame.goto('/agents');
    await frame.menu.click();
    await lookedAt(frame);
  });
});

test.describe('open to everybody, at the door', () => {
  test.use({ storageState: SIGNED_OUT });

  for (const path of ['/sign-in', '/sign-in?error=refused&next=/audit', '/sign-in?signed_out=yes']) {
    test(path, { tag: '@phone' }, async ({ signIn }) => {
      await signIn.goto(path);
      await lookedAt(signIn);
    });
  }
});
