import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { remembrancer, unique, type Agent } from '../support/agent';
import { expect, test } from '../support/test';

/** A decision record. */
function decisionRecord(number: string, title: string, decision: string): { path: string; content: string } {
  const front = ['---', `adr_id: ADR-${number}`, 'status: accepted', 'decided by: Mina', '---'].join('\n');
  const body = `# ${title}\n\n## Context\n\nIt had to be decided.\n\n## Decision\n\n${decision}\n`;
  return { path: `docs/adr/ADR-${number}.md`, content: `${front}\n${body}` };
}

/** Ingests three components with names of their own: the front needs the middle, the middle needs the back. */
async function ingestComponents(agent: Agent) {
  const mark = unique('part').replace(' ', '-');
  const [front, middle, back] = [`front-${mark}`, `middle-${mark}`, `back-${mark}`];
  const rows = [`| ${front} | Speaks with people. | ${middle} |`, `| ${middle} | Thinks. | ${back} |`, `| ${back} | Remembers. | |`];
  const content = ['# Architecture', '', '| Component | Description | Depends on |', '|---|---|---|', ...rows, ''].join('\n');
  await agent.ingest(`e2e-${mark}`, [{ path: 'ARCHITECTURE.md', content }]);
  return { front, middle, back };
}

test('the form filters the documents and sets the address', { tag: ['@phone', '@no-js'] }, async ({ knowledge, agent }) => {
  const mark = unique('drawer');
  const [first, second] = [`Keep the seal in a ${mark}`, `Notes on the ${mark}`];
  await agent.ingest(unique('e2e'), [decisionRecord('901', first, 'The seal is kept in the second drawer.'), { path: 'notes/drawer.md', content: `# ${second}\n\nIt sticks.\n` }]);
  await knowledge.goto('/knowledge');
  await knowledge.question.fill(mark);
  await knowledge.apply.click();
  await expect(knowledge.total).toHaveText('2 documents');
  await expect.poll(() => knowledge.query()).toEqual({ q: mark });

  await knowledge.kind.selectOption('decision');
  await knowledge.apply.click();
  await expect(knowledge.total).toHaveText('1 document');
  await expect.poll(() => knowledge.query()).toEqual({ q: mark, kind: 'adr' });
  await expect(knowledge.row(first)).toContainText('ADR-901');
  await expect(knowledge.row(first)).toContainText('docs/adr/ADR-901.md');

  await knowledge.status.fill('draft');
  await knowledge.apply.click();
  await expect(knowledge.empty.getByRole('heading')).toHaveText('No document matches these filters');
  await knowledge.page.goBack();
  await expect(knowledge.total).toHaveText('1 document');
  await expect(knowledge.kind).toHaveValue('adr');
  await knowledge.clear.click();
  await expect(knowledge.page).toHaveURL('/knowledge');
});

test('a document is shown in chunks, as recall finds it', { tag: ['@phone', '@no-js'] }, async ({ knowledge, document, agent }) => {
  const title = unique('Paint with zinc sulphide');
  // Nothing that another test asks about: whoever finds it cites it.
  const decision = 'Zinc sulphide phosphoresces under ultraviolet lamps.';
  await agent.ingest(unique('e2e'), [decisionRecord('902', title, decision)]);
  await knowledge.goto(`/knowledge?${new URLSearchParams({ q: title })}`);
  await knowledge.title(title).click();
  await expect(document.heading).toHaveText(title);
  await expect(document.frontMatter).toContainText('decided by');
  await expect(document.frontMatter).toContainText('Mina');
  const chunk = document.chunks.filter({ hasText: decision });
  await expect(chunk.getByRole('heading')).toContainText('Decision');
  await expect(chunk.getByTestId('content')).toContainText(decision);
  const anchor = await chunk.getAttribute('id');
  await expect(chunk.getByRole('link')).toHaveAttribute('href', `#${anchor}`);
  await expect(document.citations).toHaveCount(0);
});

test('a changed document has versions', { tag: '@no-js' }, async ({ knowledge, document, agent }) => {
  const [collection, title] = [unique('e2e'), unique('Keep the map')];
  await agent.ingest(collection, [decisionRecord('903', title, 'The map is kept in the second drawer.')]);
  const report = await agent.ingest(collection, [decisionRecord('903', title, 'The new map is kept in the second drawer.')]);
  expect(report.changed).toBe(1);
  await knowledge.goto(`/knowledge?${new URLSearchParams({ q: title })}`);
  await expect(knowledge.total).toHaveText('1 document');
  await knowledge.title(title).click();
  await expect(document.chunks.filter({ hasText: 'The new map is kept' })).toHaveCount(1);
  await expect(document.versions).toHaveCount(2);
  await expect(document.versions.nth(0)).toContainText('current, shown here');
  await document.versions.nth(1).getByRole('link').click();
  await expect(document.chunks.filter({ hasText: 'The map is kept' })).toHaveCount(1);
  await expect(document.versions.nth(1)).toContainText('shown here');
});

test('a citation links back to its question', { tag: '@no-js' }, async ({ knowledge, document, playground, agent }) => {
  const word = unique('astrolabe').replace(' ', '');
  const title = unique('Keep the astrolabe');
  await agent.ingest(unique('e2e'), [decisionRecord('904', title, `The ${word} is kept in the second drawer.`)]);
  await knowledge.goto(`/knowledge?${new URLSearchParams({ q: title })}`);
  await knowledge.title(title).click();
  await expect(document.heading).toHaveText(title);
  const [path, question] = [new URL(document.page.url()).pathname, `Where is the ${word} kept, in which drawer?`];
  const { hits } = await agent.ask(question, { explain: true });
  expect(hits.some((hit) => hit.source_tag === 'canonical' && path.endsWith(hit.document_id))).toBe(true);

  // The log is written behind the answer.
  await document.gotoUntil(path, async () => expect(await document.citations.count()).toBeGreaterThan(0));
  await expect(document.citations.first()).toContainText(agent.slug);
  await document.citations.first().getByRole('link').click();
  await expect(playground.question).toHaveValue(question);
  await expect.poll(() => playground.query()).toEqual({ agent: agent.id, q: question });
  await expect(playground.candidate(/ADR-904/).first()).toContainText('canonical');
});

test('an ingestion lists what it changed and which files failed', { tag: ['@phone', '@no-js'] }, async ({ knowledge, runs }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rmb-e2e-'));
  const [collection, mark] = [unique('e2e').replace(' ', '-'), unique('anvil')];
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  // Files that cannot be read make it fail as a whole, and are named.
  const ingest = () => {
    try {
      remembrancer('kb', 'ingest', folder, '--tenant', 'acme', '--collection', collection);
    } catch (error) {
      if (!String(error).includes('broken.md')) throw error;
    }
  };
  try {
    put('good.md', `# Good ${mark}\n\nThe anvil weighs two hundred pounds.\n`);
    put('gone.md', `# Gone ${mark}\n\nThe hammer was lent to the neighbours.\n`);
    put('broken.md', '---\nowner: nobody closes this\n');
    ingest();
    rmSync(join(folder, 'gone.md'));
    ingest();
  } finally {
    rmSync(folder, { recursive: true });
  }
  await runs.goto('/knowledge/runs');
  await expect(runs.row(collection)).toHaveCount(2);
  await expect(runs.row(collection).nth(0)).toContainText('1 unchanged · 1 retired');
  await expect(runs.row(collection).nth(1)).toContainText('2 added');
  await expect(runs.row(collection).nth(1)).toContainText('1 failure');
  await expect(runs.row(collection).nth(1).getByTestId('failures')).toContainText(/broken\.md:\d+/);

  await knowledge.goto(`/knowledge?${new URLSearchParams({ q: mark, retired: 'true' })}`);
  await expect(knowledge.total).toHaveText('1 retired document');
  await expect(knowledge.row(`Gone ${mark}`)).toContainText('retired');
});

test('the topology shows which component needs which', { tag: '@no-js' }, async ({ knowledge, topology, agent }) => {
  const { front, middle, back } = await ingestComponents(agent);
  await knowledge.goto('/knowledge');
  await knowledge.tab('Topology').click();
  await expect(topology.row(middle)).toContainText('Thinks.');
  await expect(topology.row(middle).getByRole('link', { name: front }).filter({ visible: true })).toHaveCount(1);
  await expect(topology.row(middle).getByRole('link', { name: back }).filter({ visible: true })).toHaveCount(1);

  // What is needed stands to the right.
  const left = async (name: string) => (await topology.box(name).boundingBox())?.x ?? 0;
  expect(await left(front)).toBeLessThan(await left(middle));
  expect(await left(middle)).toBeLessThan(await left(back));

  await topology.box(middle).click();
  await expect(topology.focus).toContainText(`${middle} needs (solid): ${back}`);
  await expect(topology.focus).toContainText(`Needed by (dashed): ${front}`);
  await expect.poll(() => topology.query()).toEqual({ component: middle });
  await expect(topology.box(middle)).toHaveAttribute('aria-current', 'true');
  await expect(topology.row(middle)).toHaveAttribute('aria-current', 'true');
  await topology.showAll.click();
  await expect(topology.focus).toHaveCount(0);
});

test('Escape clears the focus on a component', async ({ topology, agent }) => {
  const { front } = await ingestComponents(agent);
  await topology.goto(`/knowledge/topology?component=${front.toUpperCase()}`);
  await expect(topology.focus).toContainText(`${front} needs`);
  await topology.page.keyboard.press('Escape');
  await expect(topology.focus).toHaveCount(0);
  await expect.poll(() => topology.query()).toEqual({});
});

test('on a phone the drawing scrolls in its own box', { tag: '@only-phone' }, async ({ topology, agent }) => {
  const { back } = await ingestComponents(agent);
  await topology.goto('/knowledge/topology');
  expect(await topology.overflow()).toBe(0);
  await topology.box(back).scrollIntoViewIfNeeded();
  await expect(topology.box(back)).toBeInViewport();
});

test('an unknown component is reported as unknown', { tag: '@no-js' }, async ({ topology, agent }) => {
  await ingestComponents(agent);
  await topology.goto('/knowledge/topology?component=phlogiston');
  await expect(topology.focus).toContainText('No component is called “phlogiston”.');
});

test('an unknown document is not found', { tag: '@no-js' }, async ({ document, gate }) => {
  gate.expect(404);
  await document.goto('/knowledge/documents/0198f000-0000-7000-8000-000000000000');
  await expect(document.error).toContainText('Not found');
  await document.goto('/knowledge/documents/nothing');
  await expect(document.error).toContainText('No document has this id.');
});

test('files are uploaded, and each shows what became of it', { tag: ['@phone', '@no-js'] }, async ({ upload, document }) => {
  const [collection, title] = [unique('e2e'), unique('Anvil')];
  await upload.goto('/knowledge/upload');
  await upload.collection.fill(collection);
  await upload.files.setInputFiles([
    { name: 'anvil.md', mimeType: 'text/markdown', buffer: Buffer.from(`# ${title}\n\nIt is **heavy** <b>bold</b>.\n`) },
    { name: 'broken.md', mimeType: 'text/markdown', buffer: Buffer.from('---\ntitle: [unclosed\n---\n') },
  ]);
  await upload.send(upload.submit);
  await expect(upload.results).toContainText([/anvil\.md.*added/s, /broken\.md.*failed/s]);
  await upload.results.getByRole('link', { name: 'anvil.md' }).click();
  await expect(document.heading).toHaveText(title);
  await expect(document.chunks.first().locator('strong')).toHaveText('heavy');
  await expect(document.chunks.first()).toContainText('<b>bold</b>');
  await expect(document.chunks.first().locator('b')).toHaveCount(0);
});

test('an upload of which nothing was ingested says so and keeps its text', { tag: '@no-js' }, async ({ upload }) => {
  await upload.goto('/knowledge/upload');
  await upload.paste(unique('reef'), 'notes.pdf', '# Tea');
  await expect(upload.flash).toHaveRole('alert');
  await expect(upload.flash).toContainText('1 failed.');
  await expect(upload.results).toContainText(/notes\.pdf.*PDF cannot be read/s);
  await expect(upload.text).toHaveValue('# Tea');
  await expect(upload.name).toHaveValue('notes.pdf');
});

test('an upload without a collection is not sent, and its file stays chosen', { tag: '@no-js' }, async ({ upload }) => {
  await upload.goto('/knowledge/upload');
  await upload.files.setInputFiles({ name: 'tea.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tea\n\nGreen.\n') });
  await upload.submit.click();
  await expect(upload.collection).toBeFocused();
  await expect(upload.files).toHaveValue(/tea\.md$/);
  await expect(upload.flash).toHaveCount(0);
  await upload.collection.fill(unique('e2e'));
  await upload.send(upload.submit);
  await expect(upload.results).toContainText(/tea\.md.*added/s);
});
