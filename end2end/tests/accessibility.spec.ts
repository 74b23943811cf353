import AxeBuilder from '@axe-core/playwright';
import type { Frame } from '../pages/frame';
import type { MemoryPage } from '../pages/memory';
import type { VocabularyPage } from '../pages/vocabulary';
import { unique, type Agent } from '../support/agent';
import { expect, SIGNED_OUT, test } from '../support/test';

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2);

interface With {
  frame: Frame;
  memory: MemoryPage;
  vocabulary: VocabularyPage;
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

/** Somebody's memory that others speak against, support and replace, in words longer than a phone is wide. */
async function disputed(agent: Agent): Promise<string> {
  const says = (what: string) => ({ topic_raw: unique(`${what} ${LONG}`), content: `${LONG} ${unique(what)}`, kind: 'episode' });
  const made = await agent.rememberAll(['here', 'against', 'ground', 'old', 'gone'].map(says));
  const [here = '', against = '', ground = '', old = '', gone = ''] = made.map(({ memory_id }) => memory_id);
  await agent.link(here, 'contradicts', against);
  await agent.link(ground, 'supports', here);
  await agent.link(here, 'supersedes', old);
  await agent.link(here, 'related_to', gone);
  await agent.forget(gone, 'it went');
  return here;
}

/** A recall in words longer than a phone is wide, of which one hit is gone and another came since. */
async function asked(agent: Agent): Promise<string> {
  const told = await agent.rememberAll([
    { topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` },
    { topic_raw: unique(LONG), content: `The spare key of the boathouse lies under the mat, says ${LONG}.` },
  ]);
  const { retrieval_id } = await agent.ask(`Who keeps the key of the boathouse? ${LONG}`);
  await agent.forget(told[0]?.memory_id ?? '', 'it is lost');
  await agent.remember({ topic_raw: unique('key'), content: `The new key of the boathouse is with ${LONG}.` });
  return retrieval_id;
}

/** Opens an address until what is written behind an answer is there. */
async function opened(frame: Frame, path: string): Promise<void> {
  await frame.gotoUntil(path, async () => expect(await frame.error.count()).toBe(0));
}

/** The document that this one file became. */
async function written(agent: Agent, content: string): Promise<string> {
  const collection = unique('e2e');
  await agent.ingest(collection, [{ path: `docs/${LONG.slice(0, 80)}.md`, content }]);
  return `/knowledge?${new URLSearchParams({ q: LONG.slice(0, 80) })}`;
}

/** A proposal in the panel, whose words are longer than a phone is wide. */
async function proposed({ vocabulary, agent }: With): Promise<string> {
  const phrase = unique(LONG);
  await agent.remember({ topic_raw: phrase, content: `${LONG} ${'and so on, line after line, '.repeat(30)}` });
  await vocabulary.open(phrase);
  return new URL(vocabulary.page.url()).searchParams.get('focus') ?? '';
}

/** The page of a term with a definition and aliases. */
async function defined({ frame }: With, change = ''): Promise<void> {
  await frame.goto('/vocabulary/terms?q=stage-db');
  await frame.page.getByRole('link', { name: 'staging database', exact: true }).click();
  await expect(frame.heading).toHaveText('staging database');
  if (change) await frame.goto(`${new URL(frame.page.url()).pathname}/change?${change}`);
}

/** Every page of the console, in every state that looks different. */
const SIGHTS: Record<string, (on: With) => Promise<unknown>> = {
  'the front page': ({ frame }) => frame.goto('/'),
  agents: ({ frame }) => frame.goto('/agents'),
  memories: ({ frame }) => frame.goto('/memories'),
  'memories with long words': async ({ frame, agent }) => {
    await long(agent);
    await frame.goto(agent.memories({ topic: LONG.slice(0, 40) }));
  },
  'memories, filtered by what cannot be read': ({ frame }) => frame.goto('/memories?user=vera&platform=slack&from=2026-01-01'),
  'memories, filtered by what they are': ({ frame }) => frame.goto(`/memories?kind=decision&status=contradicted&topic=${LONG}&canonical=false`),
  'memories, filters that contradict': ({ frame }) => frame.goto('/memories?q=tea&status=archived&kind=novel'),
  'memories, views kept': async ({ frame }) => {
    await frame.goto(`/memories?topic=${unique('view')}`);
    await frame.page.getByText('Save this view…', { exact: true }).click();
    await frame.page.getByRole('textbox', { name: 'Name of the view' }).fill(unique(LONG.slice(0, 40)));
    await frame.send(frame.page.getByRole('button', { name: 'Save view' }));
    await frame.page.getByText('Manage views…', { exact: true }).click();
  },
  'memories, a view refused': async ({ frame }) => {
    await frame.goto(`/memories?topic=${unique('view')}`);
    const save = async () => {
      await frame.page.getByText('Save this view…', { exact: true }).click();
      await frame.page.getByRole('textbox', { name: 'Name of the view' }).fill('The one that is there');
      await frame.send(frame.page.getByRole('button', { name: 'Save view' }));
    };
    await save();
    await frame.goto(`/memories?topic=${unique('view')}`);
    await save();
  },
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
  'a memory, two versions compared': async ({ memory, agent }) => memory.goto(`/memories/${await long(agent)}?from=1&to=2`),
  'a memory, compared with what is not there': async ({ memory, agent }) => memory.goto(`/memories/${await long(agent)}?from=1&to=9`),
  'a memory, linked and disputed': async ({ memory, agent }) => memory.open(await disputed(agent)),
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
  'the review': ({ frame }) => frame.goto('/vocabulary'),
  'the review, nothing matches': ({ frame }) => frame.goto('/vocabulary?q=nothing+is+called+this'),
  'the review, asked what cannot be read': ({ frame }) => frame.goto('/vocabulary?status=maybe'),
  'a proposal': proposed,
  'a proposal, the decision refused': async (on) => {
    await proposed(on);
    await on.vocabulary.focus.into.fill(LONG);
    await on.vocabulary.send(on.vocabulary.focus.mergeInto);
  },
  'a proposal, rejected': async (on) => {
    const id = await proposed(on);
    await on.vocabulary.focus.reason.fill(LONG);
    await on.vocabulary.send(on.vocabulary.focus.reject);
    await on.vocabulary.goto(`/vocabulary?status=rejected&focus=${id}`);
  },
  'proposals selected': async ({ frame, vocabulary, agent }) => {
    const phrase = unique('selected');
    await agent.remember({ topic_raw: phrase, content: 'This one is chosen.' });
    await vocabulary.openWith(phrase, 1);
    await frame.page.getByRole('checkbox', { name: /^Select “/ }).first().check();
  },
  'an unknown proposal': ({ frame }) => frame.goto('/vocabulary?focus=0198f000-0000-7000-8000-000000000000'),
  'an approval': async (on) => on.frame.goto(`/vocabulary/decide?what=approve&ids=${await proposed(on)}`),
  'a merge without a term': async (on) => on.frame.goto(`/vocabulary/decide?what=merge&ids=${await proposed(on)}`),
  'a merge into a term that is none': async (on) => on.frame.goto(`/vocabulary/decide?what=merge&into=nothing&ids=${await proposed(on)}`),
  'a merge': async (on) => on.frame.goto(`/vocabulary/decide?what=merge&into=terraform&ids=${await proposed(on)}`),
  'a rejection': async (on) => on.frame.goto(`/vocabulary/decide?what=reject&ids=${await proposed(on)}`),
  'a decision on nothing': ({ frame }) => frame.goto('/vocabulary/decide'),
  terms: ({ frame }) => frame.goto('/vocabulary/terms'),
  'terms, nothing matches': ({ frame }) => frame.goto('/vocabulary/terms?q=nothing+is+called+this'),
  'a term': async (on) => {
    await defined(on);
    for (const what of ['Define…', 'Rename…', 'Add an alias…', 'Combine…', 'Retire…']) await on.frame.page.getByText(what, { exact: true }).click();
  },
  'a definition': (on) => defined(on, `what=define&definition=${LONG}&category=infra`),
  'a retirement': (on) => defined(on, `what=retire&reason=${LONG}`),
  'a change of nothing': (on) => defined(on, 'what=nothing'),
  'an unknown term': ({ frame }) => frame.goto('/vocabulary/terms/0198f000-0000-7000-8000-000000000000'),
  decisions: ({ frame }) => frame.goto('/vocabulary/decisions'),
  prompts: ({ frame }) => frame.goto('/prompts'),
  'the audit log': ({ frame }) => frame.goto('/audit'),
  'the audit log, nothing matches': ({ frame }) => frame.goto('/audit?target=nothing'),
  'the audit log, asked what cannot be read': ({ frame }) => frame.goto('/audit?from=yesterday'),
  knowledge: async ({ frame, agent }) => frame.goto(await written(agent, `# ${LONG}\n\n${LONG} is where the harbour board meets.\n`)),
  'knowledge, nothing matches': ({ frame }) => frame.goto('/knowledge?q=nothing+is+called+this&kind=adr'),
  'knowledge, asked what cannot be read': ({ frame }) => frame.goto('/knowledge?kind=novel'),
  'a document': async ({ frame, agent }) => {
    await frame.goto(await written(agent, `---\nstatus: draft\nowner: ${LONG}\n---\n# ${LONG}\n\n${LONG}\n\n## ${LONG}\n\n${LONG}\n`));
    await frame.page.getByTestId('document').getByRole('link').first().click();
    await expect(frame.page.getByTestId('chunk').first()).toBeVisible();
  },
  'an unknown document': ({ frame }) => frame.goto('/knowledge/documents/0198f000-0000-7000-8000-000000000000'),
  ingestions: async ({ frame, agent }) => {
    await agent.ingest(unique('e2e'), [{ path: `docs/${LONG.slice(0, 60)}.md`, content: '---\nowner: nobody\n' }]);
    await frame.goto('/knowledge/runs');
  },
  topology: async ({ frame, agent }) => {
    const parts = Array.from({ length: 12 }, (_, i) => `| part-${i} | What part ${i} does. | part-${(i * 5 + 1) % 12}, part-${(i * 3 + 2) % 12} |`);
    const content = ['# Architecture', '', '| Component | Description | Depends on |', '|---|---|---|', ...parts, ''].join('\n');
    await agent.ingest('e2e-sight', [{ path: 'ARCHITECTURE.md', content }]);
    await frame.goto('/knowledge/topology');
  },
  'the topology around one component': async ({ frame, agent }) => {
    const content = `# Architecture\n\n| Component | Description | Depends on |\n|---|---|---|\n| alone-${LONG} | ${LONG} | other-${LONG} |\n`;
    await agent.ingest('e2e-around', [{ path: 'ARCHITECTURE.md', content }]);
    await frame.goto(`/knowledge/topology?component=alone-${LONG}`);
  },
  'recall health': async ({ frame, agent }) => {
    await agent.remember({ topic_raw: unique(LONG), content: `${LONG} is on the third floor.` });
    const query = `${LONG} and chess in Reykjavik`;
    await agent.ask(query, { expected: true });
    await frame.gotoUntil('/recall', async () => expect(await frame.page.getByTestId('zero-hit').count()).toBeGreaterThan(0));
    await frame.page.getByText('In numbers', { exact: true }).click();
  },
  'recall health, nothing matches': ({ frame }) => frame.goto('/recall?topic=nothing+is+called+this'),
  'recall health, asked what cannot be read': ({ frame }) => frame.goto('/recall?days=8'),
  'the recall log': async ({ frame, agent }) => {
    await asked(agent);
    await opened(frame, `/recall/log?agent=${agent.id}`);
  },
  'the recall log, nothing matches': ({ frame }) => frame.goto('/recall/log?q=nobody+asked+this'),
  'the recall log, asked what cannot be read': ({ frame }) => frame.goto('/recall/log?memory=tea&from=yesterday'),
  'a recall': async ({ frame, agent }) => opened(frame, `/recall/log/${await asked(agent)}`),
  'a recall, asked again': async ({ frame, agent }) => opened(frame, `/recall/log/${await asked(agent)}?replay=yes`),
  'an unknown recall': ({ frame }) => frame.goto('/recall/log/0198f000-0000-7000-8000-000000000000'),
  'the playground': ({ frame }) => frame.goto('/recall/playground'),
  'the playground, answering': async ({ frame, agent }) => {
    await agent.remember({ topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` });
    await frame.goto(`/recall/playground?agent=${agent.id}&q=who+keeps+the+key+of+the+boathouse&k=1`);
  },
  'the playground, silent': ({ frame, agent }) => frame.goto(`/recall/playground?agent=${agent.id}&q=zyzzyva+quincunx+borborygmus`),
  'the playground, asked by nobody': ({ frame }) => frame.goto('/recall/playground?q=tea&k=0'),
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
    test(sight, { tag: '@phone' }, async ({ frame, memory, vocabulary, agent, gate }) => {
      gate.expect(404);
      if (sight === 'a change of nothing') gate.expect(400);
      await show({ frame, memory, vocabulary, agent });
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
