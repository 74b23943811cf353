import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import type { Pages } from '../pages';
import type { Frame } from '../pages/frame';
import { Agent, unique } from './agent';
import { Client } from './client';

/** A word longer than a phone is wide. */
export const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2);

/** The fixtures that the states need. */
type Fixtures = Pick<Pages, 'frame' | 'memory' | 'vocabulary' | 'projects' | 'upload' | 'agentPage' | 'connect' | 'accounts' | 'users'> & { agent: Agent };

/** Remembers a memory with two versions, in words longer than a phone is wide. */
async function rememberLongWords(agent: Agent): Promise<string> {
  const topic = unique(LONG);
  const source = { platform: 'drive', channel_id: `D-${LONG.slice(0, 80)}` };
  const content = (at: string) => `${LONG} ${LONG} is where the meeting of the harbour board takes place at ${at}.`;
  const { memory_id } = await agent.remember({ topic_raw: topic, content: content('9:30'), source });
  await agent.revise(memory_id, content('9:45'), source);
  return memory_id;
}

/** Remembers a memory that others contradict, support and replace, in words longer than a phone is wide. */
async function rememberDisputed(agent: Agent): Promise<string> {
  const memory = (what: string) => ({ topic_raw: unique(`${what} ${LONG}`), content: `${LONG} ${unique(what)}`, kind: 'episode' });
  const made = await agent.rememberAll(['here', 'against', 'ground', 'old', 'gone'].map(memory));
  const [here = '', against = '', ground = '', old = '', gone = ''] = made.map(({ memory_id }) => memory_id);
  await agent.link(here, 'contradicts', against);
  await agent.link(ground, 'supports', here);
  await agent.link(here, 'supersedes', old);
  await agent.link(here, 'related_to', gone);
  await agent.forget(gone, 'it went');
  return here;
}

/** Makes a recall in words longer than a phone is wide; since then one hit was deleted and a new memory matches. */
async function recallLongWords(agent: Agent): Promise<string> {
  const memories = await agent.rememberAll([
    { topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` },
    { topic_raw: unique(LONG), content: `The spare key of the boathouse lies under the mat, says ${LONG}.` },
  ]);
  const { retrieval_id } = await agent.ask(`Who keeps the key of the boathouse? ${LONG}`);
  await agent.forget(memories[0]?.memory_id ?? '', 'it is lost');
  await agent.remember({ topic_raw: unique('key'), content: `The new key of the boathouse is with ${LONG}.` });
  return retrieval_id;
}

/** Assembles a context in words longer than a phone is wide, which is cut to fit. */
async function assembleLongWords(agent = Agent.create(['context:read'])): Promise<string> {
  await agent.remember({ topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` });
  const turns = Array.from({ length: 30 }, () => ({ role: 'user', content: `${LONG} has a boathouse.` }));
  const { id } = await agent.assemble(`Who keeps the key of the boathouse? ${LONG}`, { turns, budget: 2000 });
  return id;
}

/** Opens a page of the recall log, which is written a moment after the answer. */
async function openLog(frame: Frame, path: string): Promise<void> {
  await frame.gotoUntil(path, async () => expect(await frame.error.count()).toBe(0));
}

/** Ingests one file; returns the address of the list that shows it. */
async function ingestLongWords(agent: Agent, content: string): Promise<string> {
  const collection = unique('e2e');
  await agent.ingest(collection, [{ path: `docs/${LONG.slice(0, 80)}.md`, content }]);
  return `/knowledge?${new URLSearchParams({ q: LONG.slice(0, 80) })}`;
}

/** Opens a proposal whose words are longer than a phone is wide; returns its id. */
export async function openProposal({ vocabulary, agent }: Pick<Fixtures, 'vocabulary' | 'agent'>): Promise<string> {
  const phrase = unique(LONG);
  await agent.remember({ topic_raw: phrase, content: `${LONG} ${'and so on, line after line, '.repeat(30)}` });
  await vocabulary.open(phrase);
  return new URL(vocabulary.page.url()).searchParams.get('focus') ?? '';
}

/** Every page of the console, in every state that looks different. */
export const STATES: Record<string, (on: Fixtures) => Promise<unknown>> = {
  'the front page': ({ frame }) => frame.goto('/'),
  'the search page': ({ frame }) => frame.goto('/search?q=staging'),
  'the search page without a result': ({ frame }) => frame.goto(`/search?q=${LONG}`),
  'the menu of names': async ({ frame }) => {
    await frame.goto('/agents');
    await frame.searchLink.click();
    await frame.goTo.options.first().waitFor();
  },
  'the keys of a page': async ({ frame }) => {
    await frame.goto('/memories');
    await frame.page.keyboard.press('?');
    await frame.shortcuts.waitFor();
  },
  agents: ({ frame }) => frame.goto('/agents'),
  'an agent': async ({ frame, agent }) => {
    await rememberLongWords(agent);
    await frame.goto(`/agents/${agent.id}`);
    await frame.page.getByText('Block…', { exact: true }).click();
  },
  'an agent with a new key': async ({ frame, agent, agentPage }) => {
    await frame.goto(`/agents/${agent.id}`);
    await agentPage.makeKey(LONG.slice(0, 90));
    for (const fold of ['Change…', 'New key…', 'New chat bot…', 'Retire…']) await frame.page.getByText(fold, { exact: true }).click();
    await frame.page.getByText('Rotate…', { exact: true }).first().click();
  },
  'an agent to connect': ({ frame }) => frame.goto('/agents/connect'),
  'an agent that is connected': async ({ frame, agent, connect }) => {
    await frame.goto(`/agents/connect?agent=${agent.id}`);
    await connect.connect('claude-desktop');
  },
  accounts: async ({ frame, accounts }) => {
    await frame.goto('/accounts');
    await accounts.invite(unique(LONG.slice(0, 90)), LONG.slice(0, 120));
  },
  'an account': async ({ frame, accounts }) => {
    await frame.goto('/accounts');
    await accounts.rows.filter({ hasText: 'you' }).first().getByRole('link').click();
    await frame.page.getByText('Remove…', { exact: true }).click();
  },
  users: async ({ frame, users }) => {
    await frame.goto('/people/users');
    await users.save(unique(LONG.slice(0, 90)), LONG.slice(0, 120));
  },
  'the own password': ({ frame }) => frame.goto('/password'),
  'an unknown agent': ({ frame }) => frame.goto('/agents/0198f000-0000-7000-8000-000000000000'),
  'a client that asks for access': async ({ frame }) => {
    const client = await Client.register(frame.page.request, LONG.slice(0, 100), `https://${LONG.slice(0, 60).replace('ä', 'a')}.example/callback`);
    await frame.goto(client.page('memory:read memory:write export'));
  },
  projects: ({ frame }) => frame.goto('/projects'),
  'a project': async ({ frame, projects }) => {
    await projects.goto('/projects');
    await projects.create(unique('harbour').replace(' ', '-'), LONG);
    await frame.ready();
  },
  'an unknown project': ({ frame }) => frame.goto('/projects/0198f000-0000-7000-8000-000000000000'),
  memories: ({ frame }) => frame.goto('/memories'),
  'memories with long words': async ({ frame, agent }) => {
    await rememberLongWords(agent);
    await frame.goto(agent.memories({ topic: LONG.slice(0, 40) }));
  },
  'a new memory': ({ frame, agent }) => frame.goto(`/memories/new?agent=${agent.id}`),
  'memories, an invalid filter': ({ frame }) => frame.goto('/memories?kind=novel&from=yesterday'),
  'memories, filtered by kind and status': ({ frame }) => frame.goto(`/memories?kind=decision&status=contradicted&topic=${LONG}&canonical=false`),
  'memories, conflicting filters': ({ frame }) => frame.goto('/memories?q=tea&status=archived&kind=novel'),
  'memories, a saved view': async ({ frame }) => {
    await frame.goto(`/memories?topic=${unique('view')}`);
    await frame.page.getByText('Save this view…', { exact: true }).click();
    await frame.page.getByRole('textbox', { name: 'Name of the view' }).fill(unique(LONG.slice(0, 40)));
    await frame.send(frame.page.getByRole('button', { name: 'Save view' }));
    await frame.page.getByText('Manage views…', { exact: true }).click();
  },
  'memories, a view under a name that is taken': async ({ frame }) => {
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
    const id = await rememberLongWords(agent);
    await frame.goto(agent.memories({ topic: LONG.slice(0, 40), peek: id }));
  },
  'rows selected': async ({ frame }) => {
    await frame.goto('/memories?topic=staging');
    await frame.page.getByRole('checkbox', { name: /^Select “/ }).first().check();
  },
  'a memory': async ({ memory, agent }) => memory.openWithTrail(await rememberLongWords(agent), 2),
  'a memory, two versions compared': async ({ memory, agent }) => memory.goto(`/memories/${await rememberLongWords(agent)}?from=1&to=2`),
  'a memory, compared with a version that does not exist': async ({ memory, agent }) => memory.goto(`/memories/${await rememberLongWords(agent)}?from=1&to=9`),
  'a memory with links and contradictions': async ({ memory, agent }) => memory.open(await rememberDisputed(agent)),
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
  'deleting several memories': async ({ frame, agent }) => {
    const { memory_id } = await agent.remember({ topic_raw: unique(LONG), content: LONG });
    await frame.goto(`/memories/delete?ids=${memory_id}`);
  },
  'deleting nothing': ({ frame }) => frame.goto('/memories/delete'),
  'the review': ({ frame }) => frame.goto('/vocabulary'),
  'the review, nothing matches': ({ frame }) => frame.goto('/vocabulary?q=nothing+is+called+this'),
  'the review, an invalid filter': ({ frame }) => frame.goto('/vocabulary?status=maybe'),
  'proposals selected': async ({ frame, vocabulary, agent }) => {
    const phrase = unique('selected');
    await agent.remember({ topic_raw: phrase, content: 'This one is chosen.' });
    await vocabulary.openWith(phrase, 1);
    await frame.page.getByRole('checkbox', { name: /^Select “/ }).first().check();
  },
  'an unknown proposal': ({ frame }) => frame.goto('/vocabulary?focus=0198f000-0000-7000-8000-000000000000'),
  'a decision on nothing': ({ frame }) => frame.goto('/vocabulary/decide'),
  'undoing nothing': ({ frame }) => frame.goto('/vocabulary/decisions/undo'),
  terms: ({ frame }) => frame.goto('/vocabulary/terms'),
  'terms, nothing matches': ({ frame }) => frame.goto('/vocabulary/terms?q=nothing+is+called+this'),
  'an unknown term': ({ frame }) => frame.goto('/vocabulary/terms/0198f000-0000-7000-8000-000000000000'),
  'a new term': ({ frame }) => frame.goto(`/vocabulary/terms/new?name=${LONG}&alias=${LONG}`),
  decisions: ({ frame }) => frame.goto('/vocabulary/decisions'),
  prompts: ({ frame }) => frame.goto('/prompts'),
  'the audit log': ({ frame }) => frame.goto('/audit'),
  'the audit log, nothing matches': ({ frame }) => frame.goto('/audit?target=nothing'),
  'the audit log, an invalid filter': ({ frame }) => frame.goto('/audit?from=yesterday'),
  knowledge: async ({ frame, agent }) => frame.goto(await ingestLongWords(agent, `# ${LONG}\n\n${LONG} is where the harbour board meets.\n`)),
  'knowledge, nothing matches': ({ frame }) => frame.goto('/knowledge?q=nothing+is+called+this&kind=adr'),
  'knowledge, an invalid filter': ({ frame }) => frame.goto('/knowledge?kind=novel'),
  'a document': async ({ frame, agent }) => {
    await frame.goto(await ingestLongWords(agent, `---\nstatus: draft\nowner: ${LONG}\n---\n# ${LONG}\n\n${LONG}\n\n## ${LONG}\n\n${LONG}\n`));
    await frame.page.getByTestId('document').getByRole('link').first().click();
    await expect(frame.page.getByTestId('chunk').first()).toBeVisible();
  },
  'an unknown document': ({ frame }) => frame.goto('/knowledge/documents/0198f000-0000-7000-8000-000000000000'),
  'uploading documents': ({ frame }) => frame.goto('/knowledge/upload'),
  'a new version of a document': ({ frame }) => frame.goto(`/knowledge/upload?collection=wiki&path=docs/${LONG}.md`),
  'uploaded documents': async ({ upload }) => {
    await upload.goto('/knowledge/upload');
    await upload.paste(unique('e2e').replace(' ', '-'), `${LONG.slice(0, 60)}.md`, `# ${LONG}\n\n${LONG}\n`);
    await expect(upload.results).toHaveCount(1);
  },
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
  'recall health by hour': async ({ frame }) => {
    const agent = Agent.create();
    await agent.remember({ topic_raw: unique(LONG), content: `${LONG} is on the third floor.` });
    await agent.ask(`Who played chess in ${'Reykjavik'.repeat(8)} last winter?`, { expected: true });
    await frame.gotoUntil(`/recall?days=1&agent=${agent.id}`, async () => expect(await frame.page.getByTestId('zero-hit').count()).toBe(1));
  },
  'recall health, nothing matches': ({ frame }) => frame.goto('/recall?topic=nothing+is+called+this'),
  'recall health, an invalid filter': ({ frame }) => frame.goto('/recall?days=8'),
  'the recall log': async ({ frame, agent }) => {
    await recallLongWords(agent);
    await openLog(frame, `/recall/log?agent=${agent.id}`);
  },
  'the recall log, nothing matches': ({ frame }) => frame.goto('/recall/log?q=nobody+asked+this'),
  'the recall log, an invalid filter': ({ frame }) => frame.goto('/recall/log?memory=tea&from=yesterday'),
  'a recall': async ({ frame, agent }) => openLog(frame, `/recall/log/${await recallLongWords(agent)}`),
  'a recall, replayed': async ({ frame, agent }) => openLog(frame, `/recall/log/${await recallLongWords(agent)}?replay=yes`),
  'a recall that found nothing': async ({ frame }) => {
    const agent = Agent.create();
    await agent.remember({ topic_raw: unique(LONG), content: `${LONG} is on the third floor.` });
    const { retrieval_id } = await agent.ask(`Who played chess in ${'Reykjavik'.repeat(8)} last winter?`);
    await openLog(frame, `/recall/log/${retrieval_id}`);
  },
  'an unknown recall': ({ frame }) => frame.goto('/recall/log/0198f000-0000-7000-8000-000000000000'),
  'the context log': async ({ frame }) => {
    const agent = Agent.create(['context:read']);
    await assembleLongWords(agent);
    await frame.gotoUntil(`/recall/contexts?agent=${agent.id}`, async () => expect(await frame.page.getByTestId('context').count()).toBe(1));
  },
  'the context log, nothing matches': ({ frame }) => frame.goto('/recall/contexts?until=2020-01-01'),
  'the context log, an invalid filter': ({ frame }) => frame.goto('/recall/contexts?cut=perhaps&from=yesterday'),
  'a context that was cut': async ({ frame }) => openLog(frame, `/recall/contexts/${await assembleLongWords()}`),
  'a context compared with today': async ({ frame }) => openLog(frame, `/recall/contexts/compare?ids=${await assembleLongWords()}`),
  'a comparison of nothing': ({ frame }) => frame.goto('/recall/contexts/compare'),
  'an unknown context': ({ frame }) => frame.goto('/recall/contexts/0198f000-0000-7000-8000-000000000000'),
  'the playground of contexts': ({ frame }) => frame.goto('/recall/playground/context'),
  'the playground with a context': async ({ frame, agent }) => {
    await agent.remember({ topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` });
    await frame.goto(`/recall/playground/context?agent=${agent.id}&q=who+keeps+the+key+of+the+boathouse&tiers=all`);
  },
  'the playground of contexts, an invalid budget': ({ frame }) => frame.goto('/recall/playground/context?q=tea&budget=99'),
  'the playground': ({ frame }) => frame.goto('/recall/playground'),
  'the playground with results': async ({ frame, agent }) => {
    await agent.remember({ topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` });
    await frame.goto(`/recall/playground?agent=${agent.id}&q=who+keeps+the+key+of+the+boathouse&k=1`);
  },
  'the playground without a hit': ({ frame, agent }) => frame.goto(`/recall/playground?agent=${agent.id}&q=zyzzyva+quincunx+borborygmus`),
  'the playground, an invalid question': ({ frame }) => frame.goto('/recall/playground?q=tea&k=0'),
  'a diagnosis': ({ frame }) => frame.goto('/recall/diagnose'),
  'a diagnosis of a memory that gets through': async ({ frame, agent }) => {
    const { memory_id } = await agent.remember({ topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` });
    await frame.goto(`/recall/diagnose?agent=${agent.id}&memory=${memory_id}&q=who+keeps+the+key+of+the+boathouse`);
  },
  'a diagnosis of a memory that is stopped': async ({ frame, agent }) => {
    const { memory_id } = await agent.remember({ topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` });
    await agent.forget(memory_id, LONG);
    await frame.goto(`/recall/diagnose?agent=${agent.id}&memory=${memory_id}&q=quincunx+${LONG}&kind=decision`);
  },
  'a diagnosis of no memory': ({ frame, agent }) => frame.goto(`/recall/diagnose?agent=${agent.id}&memory=aaaaaaaa&q=tea`),
  'a diagnosis, an invalid question': ({ frame }) => frame.goto('/recall/diagnose?q=tea&k=0&memory=1'),
  'the reference of the API': ({ frame }) => frame.page.goto('/api/docs'),
  'the inbox': ({ frame }) => frame.goto('/inbox'),
  'the inbox, nothing matches': ({ frame }) => frame.goto('/inbox?q=nothing+is+called+this'),
  'the inbox, an invalid filter': ({ frame }) => frame.goto('/inbox?source=minutes'),
  'an unknown candidate': ({ frame }) => frame.goto('/inbox?focus=0198f000-0000-7000-8000-000000000000'),
  'deciding on no candidate': ({ frame }) => frame.goto('/inbox/review?what=confirm'),
  'the suggestions': ({ frame }) => frame.goto('/inbox/suggestions'),
  'the quarantine': ({ frame }) => frame.goto('/inbox/quarantine'),
  'the capture policy': ({ frame }) => frame.goto('/inbox/policy'),
  usage: ({ frame }) => frame.goto('/usage'),
  'usage, no calls match': ({ frame }) => frame.goto('/usage?model=no-such-model'),
  'usage, an invalid filter': ({ frame }) => frame.goto('/usage?from=yesterday'),
  'the lifecycle': ({ frame }) => frame.goto('/lifecycle'),
  'the lifecycle policy': ({ frame }) => frame.goto('/lifecycle/policy'),
  quality: ({ frame }) => frame.goto('/quality'),
  'quality of one agent, nothing to measure': ({ frame }) => frame.goto('/quality?agent=0198f000-0000-7000-8000-000000000000'),
  'the sets of expectations': ({ frame }) => frame.goto('/quality/expectations'),
  'a new expectation': ({ frame, agent }) =>
    frame.goto(`/quality/expectations/new?${new URLSearchParams({ agent: agent.id, q: LONG, memory: 'aaaaaaaa', from: 'diagnosis' })}`),
  'a set of expectations, not run': async ({ frame, agent }) => {
    const { memory_id } = await agent.remember({ topic_raw: unique(LONG), content: `${LONG} keeps the key of the boathouse.` });
    await frame.goto(`/quality/expectations/new?${new URLSearchParams({ agent: agent.id, q: LONG, memory: memory_id, from: 'diagnosis' })}`);
    await frame.page.getByRole('textbox', { name: 'Name of a new set' }).fill(unique('boathouse'));
    await frame.send(frame.page.getByRole('button', { name: 'Add expectation' }));
    await expect(frame.page.getByTestId('expectation')).toHaveCount(1);
  },
  'the search across sources': ({ frame }) => frame.goto('/recall/policy'),
  'the embedding model': ({ frame }) => frame.goto('/recall/model'),
  webhooks: ({ frame }) => frame.goto('/webhooks'),
  people: ({ frame }) => frame.goto('/people'),
  'people, nothing matches': ({ frame }) => frame.goto('/people?user=nothing+is+called+this'),
  'people, an invalid filter': ({ frame }) => frame.goto('/people?agent=atlas'),
  'a person with long words': async ({ frame }) => {
    const observer = Agent.create(['capture:write']);
    await observer.observe(`Office: ${LONG.slice(0, 110)}`);
    await observer.observe(`Office: ${LONG.slice(0, 40)}`);
    await frame.gotoUntil(`/people/${observer.id}/nobody`, async () => expect(await frame.page.getByTestId('disputed').count()).toBe(1));
    await frame.page.locator('summary').filter({ hasText: /^Why/ }).first().click();
    await frame.page.locator('summary').filter({ hasText: /^Forget/ }).first().click();
  },
  'everything about a person': async ({ frame }) => {
    const observer = Agent.create(['capture:write']);
    const who = randomUUID();
    await observer.observe(`Office: ${LONG.slice(0, 110)}`, 'fact', undefined, who);
    await observer.remember({ topic_raw: LONG.slice(0, 60), content: LONG.slice(0, 200), user_id: who });
    await frame.gotoUntil(`/people/${who}`, async () => expect(await frame.page.getByTestId('entry').count()).toBe(1));
    await frame.page.locator('summary').filter({ hasText: 'Set a legal hold…' }).click();
  },
  'nobody with this id': ({ frame }) => frame.goto('/people/0198f000-0000-7000-8000-000000000000'),
  'an unknown person': ({ frame }) => frame.goto('/people/0198f000-0000-7000-8000-000000000000/nobody'),
  erasures: ({ frame }) => frame.goto('/erasure'),
  'requesting an erasure': ({ frame }) => frame.goto('/erasure/new?user=0198f000-0000-7000-8000-000000000001&names=Mina+Lindt'),
  'an unknown erasure': ({ frame }) => frame.goto('/erasure/0198f000-0000-7000-8000-000000000000'),
  capturing: ({ frame }) => frame.goto('/capture'),
  sources: ({ frame }) => frame.goto('/sources'),
  'sources, nothing matches': ({ frame }) => frame.goto('/sources?form=attachment'),
  'an unknown source': ({ frame }) => frame.goto('/sources/0198f000-0000-7000-8000-000000000000'),
  sessions: ({ frame }) => frame.goto('/sessions'),
  'a session': async ({ frame }) => {
    await frame.goto('/sessions');
    const href = await frame.page.getByTestId('session').first().getByRole('link').first().getAttribute('href');
    await frame.goto(href ?? '/sessions');
  },
  'sessions, nothing matches': ({ frame }) => frame.goto('/sessions?host=cursor'),
  'an unknown session': ({ frame }) => frame.goto('/sessions/0198f000-0000-7000-8000-000000000000'),
  events: ({ frame }) => frame.goto('/events'),
  'events of knowledge': ({ frame }) => frame.goto('/events?bus=knowledge'),
  'events, an invalid filter': ({ frame }) => frame.goto('/events?kind=party'),
  'an unknown memory': ({ frame }) => frame.goto('/memories/0198f000-0000-7000-8000-000000000000'),
  'an unknown address': ({ frame }) => frame.goto('/nowhere'),
};
