import { Agent, unique } from '../support/agent';
import { expect, SIGNED_OUT, test } from '../support/test';

// What assistive technology reads of each page: names, roles and the order of what does not change with the data.

test('the frame', { tag: '@no-js' }, async ({ frame, page }) => {
  await frame.goto('/agents');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - link "Skip to content":
      - /url: "#main"
    - banner:
      - link "Remembrancer":
        - /url: /
      - link /^Search/:
        - /url: /search
      - navigation "Main":
        - paragraph: Memory
        - list:
          - listitem:
            - link "Overview":
              - /url: /
          - listitem:
            - link "Agents":
              - /url: /agents
          - listitem:
            - link "Memories":
              - /url: /memories
          - listitem:
            - link "People":
              - /url: /people
          - listitem:
            - link "Projects":
              - /url: /projects
          - listitem:
            - link "Lifecycle":
              - /url: /lifecycle
        - paragraph: Capture
        - list:
          - listitem:
            - link /^Inbox/:
              - /url: /inbox
          - listitem:
            - link "Capture":
              - /url: /capture
          - listitem:
            - link "Sources":
              - /url: /sources
          - listitem:
            - link "Events":
              - /url: /events
        - paragraph: Knowledge
        - list:
          - listitem:
            - link "Vocabulary":
              - /url: /vocabulary
          - listitem:
            - link "Documents":
              - /url: /knowledge
          - listitem:
            - link "Prompts":
              - /url: /prompts
        - paragraph: Recall
        - list:
          - listitem:
            - link "Health":
              - /url: /recall
          - listitem:
            - link "Quality":
              - /url: /quality
          - listitem:
            - link "Log":
              - /url: /recall/log
          - listitem:
            - link "Context log":
              - /url: /recall/contexts
          - listitem:
            - link "Playground":
              - /url: /recall/playground
          - listitem:
            - link "Diagnose":
              - /url: /recall/diagnose
          - listitem:
            - link "Search policy":
              - /url: /recall/policy
        - paragraph: Trust
        - list:
          - listitem:
            - link "Audit log":
              - /url: /audit
          - listitem:
            - link "Usage":
              - /url: /usage
          - listitem:
            - link "Erasure":
              - /url: /erasure
      - paragraph: Vera
      - paragraph: Acme
      - paragraph: viewer, reviewer, operator, admin
      - group "Theme":
        - button "System" [pressed]
        - button "Light"
        - button "Dark"
      - button "Sign out"
    - main:
      - heading "Agents" [level=1]
  `);
  await expect(page.getByRole('link', { name: 'Agents', exact: true }).filter({ visible: true })).toHaveAttribute('aria-current', 'page');
});

test('agents', { tag: '@no-js' }, async ({ agents }) => {
  await agents.goto('/agents');
  await expect(agents.main).toMatchAriaSnapshot(`
    - heading "Agents" [level=1]
    - paragraph: /\\d+ agents and the shared memories \\(commons\\) · .* live · \\d+ deleted/
    - table "Agents":
      - rowgroup:
        - row:
          - columnheader "Agent"
          - columnheader "Live"
          - columnheader "Deleted"
          - columnheader "New this week"
          - columnheader "Written, 28 days"
          - columnheader "Last write"
          - columnheader "Last recall"
      - rowgroup:
        - row /binky/:
          - rowheader /binky/:
            - link "binky"
          - cell /^24 live/
          - cell /1 deleted/:
            - link /1 deleted/
  `);
});

test('memories', { tag: '@no-js' }, async ({ memories }) => {
  await memories.goto('/memories?topic=error+budget');
  await expect(memories.main).toMatchAriaSnapshot(`
    - heading "Memories" [level=1]
    - search "Memories":
      - searchbox "Search memories"
      - combobox "Agent":
        - option "All agents" [selected]
      - button "Search"
      - group: /Filters/
    - list "Active filters":
      - listitem:
        - link /^Topic/
    - paragraph: 1 memory
    - table "Memories":
      - rowgroup:
        - row:
          - columnheader "Memory"
          - columnheader "Agent"
          - columnheader "Source"
          - columnheader "Recalled"
          - columnheader "Updated"
      - rowgroup:
        - row /error budget/:
          - cell:
            - checkbox "Select “error budget”"
          - cell /error budget/:
            - link "error budget"
            - paragraph: /The error budget of the search service/
          - cell "atlas"
          - cell "drive · D-slo"
    - button "Delete selected…"
  `);
});

test('a memory', { tag: '@no-js' }, async ({ memory, agent }) => {
  const topic = unique('anchor');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: 'The anchor weighs eleven kilograms.' });
  await memory.openWithTrail(memory_id, 1);
  await expect(memory.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Memories":
        - /url: /memories
    - heading /anchor/ [level=1]
    - region "Content": The anchor weighs eleven kilograms.
    - region "History":
      - heading "History" [level=2]
      - list:
        - listitem:
          - text: /v1 created/
    - region "Audit trail":
      - heading "Audit trail" [level=2]
      - list:
        - listitem:
          - text: /Memory stored/
    - group: Correct…
    - group: Delete…
    - region "Facts":
      - term: Agent
      - definition:
        - link
      - term: Original wording
      - term: Kind
      - term: Scope
      - term: Status
      - term: Platform
      - definition: slack
      - term: Channel
      - definition: C-e2e
      - term: Updated
      - term: Remembered
      - term: Recalled
      - definition: never
  `);
});

test('deleting several memories', { tag: '@no-js' }, async ({ deletion, agent }) => {
  const { memory_id } = await agent.remember({ topic_raw: unique('oar'), content: 'The oars are in the shed.' });
  await deletion.goto(`/memories/delete?ids=${memory_id}`);
  await expect(deletion.main).toMatchAriaSnapshot(`
    - heading "Delete memories" [level=1]
    - table "Memories to delete":
      - rowgroup:
        - row:
          - columnheader "Memory"
          - columnheader "Agent"
          - columnheader "Source"
          - columnheader "Updated"
      - rowgroup:
        - row /oar/:
          - cell /oar/:
            - link /oar/
            - paragraph: The oars are in the shed.
    - heading "Delete 1 memory?" [level=2]
    - textbox "Reason"
    - button "Delete 1 memory"
    - link "Cancel"
  `);
});

test('projects', { tag: '@no-js' }, async ({ projects }) => {
  await projects.goto('/projects');
  await expect(projects.main).toMatchAriaSnapshot(`
    - heading "Projects" [level=1]
    - heading "New project" [level=2]
    - textbox "Slug"
    - textbox "Name"
    - button "Create project"
  `);
});

test('uploading documents', { tag: '@no-js' }, async ({ upload }) => {
  await upload.goto('/knowledge/upload');
  await expect(upload.main).toMatchAriaSnapshot(`
    - heading "Upload documents" [level=1]
    - navigation "Knowledge"
    - combobox "Collection"
    - textbox "Or a new collection"
    - button "Files"
    - textbox "Or a text"
    - textbox "File name of the text"
    - button "Upload documents"
  `);
});

test('a new term', { tag: '@no-js' }, async ({ terms }) => {
  await terms.goto('/vocabulary/terms/new');
  await expect(terms.main).toMatchAriaSnapshot(`
    - heading "New term" [level=1]
    - form "New term":
      - heading "New term" [level=2]
      - textbox "Term"
      - textbox "Definition"
      - textbox "Category"
      - textbox "Aliases"
      - button "Create term"
    - form "New alias":
      - heading "New alias" [level=2]
      - textbox "Alias"
      - combobox "Term of the alias"
      - button "Add alias"
  `);
});

test('the page of an agent', { tag: '@no-js' }, async ({ agentPage, agent }) => {
  await agentPage.goto(`/agents/${agent.id}`);
  await expect(agentPage.main).toMatchAriaSnapshot(`
    - heading "${agent.slug}" [level=1]
    - navigation "About this agent":
      - link "Memories"
      - link "Recall log"
      - link "Events"
      - link "Audit log"
    - region "Recalls":
      - heading "Recalls" [level=2]
      - table "Recalls"
    - region "API keys":
      - heading "API keys" [level=2]
      - table "API keys"
    - region "Users":
      - heading "Users" [level=2]
    - region "Memories":
      - heading "Memories" [level=2]
    - region "Settings":
      - heading "Settings" [level=2]
  `);
});

test('the front page', { tag: '@no-js' }, async ({ overview }) => {
  await Agent.create().ask('chess in Reykjavik', { expected: true });
  await overview.gotoUntil('/', async () => expect(await overview.item('Missed expected results').count()).toBe(1));
  await expect(overview.main).toMatchAriaSnapshot(`
    - heading "Overview" [level=1]
    - region "Needs attention":
      - heading "Needs attention" [level=2]
      - heading "Broken" [level=3]
      - heading "Waiting for review" [level=3]
    - region "Last 24 hours":
      - heading "Last 24 hours" [level=2]
      - list:
        - listitem:
          - link /^Memories stored [\\d,]+/:
            - /url: /memories
        - listitem:
          - link /^Recalls [\\d,]+/:
            - /url: /recall?days=1
        - listitem:
          - link /^Recalls that found nothing/:
            - /url: /recall?days=1
        - listitem:
          - link /^Contexts assembled [\\d,]+/:
            - /url: /recall/contexts
      - figure:
        - heading "Recalls by hour" [level=3]
        - region "Chart of recalls by hour":
          - group /^24 hours/
      - heading "Newest memories" [level=3]
    - region "Totals":
      - heading "Totals" [level=2]
      - list:
        - listitem:
          - link /^Agents [\\d,]+/:
            - /url: /agents
        - listitem:
          - link /^Memories [\\d,]+/:
            - /url: /memories
        - listitem:
          - link /^Terms [\\d,]+/:
            - /url: /vocabulary/terms
        - listitem:
          - link /^Documents [\\d,]+/:
            - /url: /knowledge
        - listitem:
          - link /^People with a profile [\\d,]+/:
            - /url: /people
  `);
});

test('reviewing a proposal', { tag: '@no-js' }, async ({ vocabulary, agent }) => {
  const phrase = unique('terraforms');
  await agent.remember({ topic_raw: phrase, content: 'It is written down in the repository.' });
  await vocabulary.open(phrase);
  await expect(vocabulary.main).toMatchAriaSnapshot(`
    - heading "Vocabulary review" [level=1]
    - navigation "Vocabulary":
      - list:
        - listitem:
          - link "Review"
        - listitem:
          - link "Terms"
        - listitem:
          - link "Decisions"
    - search "Proposals":
      - textbox "Phrase contains"
      - combobox "State":
        - option "Open" [selected]
      - button "Apply filters"
      - link "Clear"
    - paragraph: 1 open proposal
    - table "Proposals":
      - rowgroup:
        - row:
          - columnheader "Phrase"
          - columnheader "Uses"
          - columnheader "By"
          - columnheader "Last used"
      - rowgroup:
        - row /terraforms/:
          - cell:
            - checkbox /Select “terraforms/
          - cell /terraforms/:
            - link /terraforms/
          - cell "1"
    - button "Approve selected…"
    - button "Merge selected…"
    - button "Reject selected…"
    - region "Proposal":
      - link "Close"
      - heading /terraforms/ [level=2]
      - region "Evidence":
        - list:
          - listitem:
            - paragraph:
              - link /terraforms/
            - text: It is written down in the repository.
      - paragraph: If approved, 1 memory is refiled.
      - heading "Similar terms" [level=3]
      - list:
        - listitem:
          - paragraph:
            - link "terraform"
          - button /^Merge into /
      - combobox "Existing term"
      - button "Merge into term"
      - heading "Approve as a new term" [level=3]
      - textbox "Term": /terraforms/
      - textbox "Definition"
      - textbox "Category"
      - button "Approve"
      - textbox "Reason for rejection"
      - button "Reject"
  `);
});

test('deciding several proposals', { tag: '@no-js' }, async ({ vocabulary, decide, agent }) => {
  const phrase = unique('windlass');
  await agent.remember({ topic_raw: phrase, content: 'It lifts the anchor.' });
  await vocabulary.openWith(phrase, 1);
  await vocabulary.select(phrase).check();
  await vocabulary.send(vocabulary.approveSelected);
  await expect(decide.main).toMatchAriaSnapshot(`
    - heading "Decide proposals" [level=1]
    - navigation "Vocabulary"
    - table "Proposals to decide":
      - rowgroup:
        - row:
          - columnheader "Phrase"
          - columnheader "Uses"
          - columnheader "By"
          - columnheader "Last used"
      - rowgroup:
        - row /windlass/:
          - cell /windlass/:
            - link /windlass/
          - cell "1"
    - heading /^Approve “windlass/ [level=2]
    - paragraph: 1 memory of 1 agent changes its topic.
    - list:
      - listitem: /windlass/
    - textbox "Term": /windlass/
    - textbox "Definition"
    - textbox "Category"
    - button /^Approve “windlass/
    - link "Cancel"
  `);
});

test('terms', { tag: '@no-js' }, async ({ terms }) => {
  await terms.goto('/vocabulary/terms?q=stage-db');
  await expect(terms.main).toMatchAriaSnapshot(`
    - heading "Terms" [level=1]
    - navigation "Vocabulary"
    - search "Terms":
      - textbox "Term, alias or definition contains": stage-db
      - combobox "State":
        - option "In use" [selected]
      - button "Apply filters"
      - link "Clear"
    - paragraph: 1 term
    - table "Terms":
      - rowgroup:
        - row:
          - columnheader "Term"
          - columnheader "Definition"
          - columnheader "Aliases"
          - columnheader "Memories"
          - columnheader "Agents"
      - rowgroup:
        - row /staging database/:
          - rowheader /staging database/:
            - link "staging database"
          - cell "The Postgres that every branch deploys against"
  `);
});

test('a term', { tag: '@no-js' }, async ({ term }) => {
  await term.open('design review');
  await expect(term.main).toMatchAriaSnapshot(`
    - navigation "Vocabulary"
    - heading "design review" [level=1]
    - region "Meaning":
      - paragraph: The meeting in which a design is questioned before it is built
    - region "Aliases":
      - heading "Aliases" [level=2]
      - list:
        - listitem:
          - text: architecture review
          - link "Remove the alias architecture review"
    - region "Used by":
      - heading "Used by" [level=2]
    - region "History":
      - heading "History" [level=2]
    - region "Change":
      - group: Define…
      - group: Rename…
      - group: Add an alias…
      - group: Combine…
      - group: Retire…
  `);
});

test('changing a term', { tag: '@no-js' }, async ({ term }) => {
  await term.open('design review');
  await term.unfold('Rename…').click();
  await term.field('New name').fill('design critique');
  await term.send(term.show);
  await expect(term.main).toMatchAriaSnapshot(`
    - heading "Change a term" [level=1]
    - navigation "Vocabulary"
    - heading "Rename “design review” to “design critique”?" [level=2]
    - paragraph
    - list:
      - listitem
    - button "Rename"
    - link "Cancel"
  `);
});

test('decisions', { tag: '@no-js' }, async ({ vocabulary, decisions, agent }) => {
  await vocabulary.term(agent, unique('bollard'));
  await decisions.goto('/vocabulary/decisions');
  await expect(decisions.main).toMatchAriaSnapshot(`
    - heading "Decisions" [level=1]
    - navigation "Vocabulary"
    - paragraph: /\\d+ decisions?/
    - table "Decisions":
      - rowgroup:
        - row:
          - columnheader "When"
          - columnheader "Who"
          - columnheader "What"
          - columnheader "Memories"
          - columnheader "Undo"
      - rowgroup:
        - row
  `);
});

test('capturing', { tag: '@no-js' }, async ({ capture }) => {
  await capture.goto('/capture');
  await expect(capture.main).toMatchAriaSnapshot(`
    - heading "Capture" [level=1]
    - textbox "Text"
    - group "Mode":
      - radio /^Transcript/ [checked]
      - radio /^Note/
      - radio /^Summary/
    - combobox "Agent"
    - textbox "Title (optional)"
    - combobox "Scope of the memories"
    - button "Capture text"
  `);
});

test('a captured source and its candidates', { tag: '@no-js' }, async ({ capture, source, inbox, agent }) => {
  const what = unique('capstan');
  await capture.capture(agent, `Vera: We decided to grease the ${what} because it sticks.`, what);
  await source.read();
  await expect(source.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Sources":
        - /url: /sources
    - heading /capstan/ [level=1]
    - region "Progress":
      - paragraph: This source was read.
      - link "Review 1 candidate"
    - region "Text":
      - heading "Text" [level=2]
      - list:
        - listitem:
          - link /grease the capstan/
    - region "Events":
      - heading "Events" [level=2]
      - table "Events"
  `);
  await inbox.open(agent, what);
  await expect(inbox.main).toMatchAriaSnapshot(`
    - heading "Inbox" [level=1]
    - navigation "Inbox":
      - list:
        - listitem:
          - link "Candidates"
        - listitem:
          - link "Suggestions"
        - listitem:
          - link /^Quarantine/
        - listitem:
          - link "Policy"
    - search "Candidates":
      - textbox "Statement or topic contains"
      - combobox "Agent"
      - combobox "Kind"
      - combobox "Disputed"
      - button "Apply filters"
      - link "Clear"
    - paragraph: 1 candidate
    - table "Candidates"
    - button "Confirm selected…"
    - button "Reject selected…"
    - region "Candidate":
      - link "Close"
      - heading /capstan/ [level=2]
      - term: Topic
      - term: Scope
      - term: Agent
      - term: Confidence
      - region "Quotes":
        - list:
          - listitem:
            - blockquote:
              - mark: /capstan/
            - paragraph:
              - link /capstan/
      - button "Confirm"
      - group: Change topic or scope…
      - textbox "Reason for rejection"
      - button "Reject"
  `);
});

test('the context log', { tag: '@no-js' }, async ({ contexts }) => {
  const agent = Agent.create(['context:read']);
  await agent.assemble(unique('capstan'));
  await contexts.openWith(agent.id, 1);
  await expect(contexts.main).toMatchAriaSnapshot(`
    - heading "Context log" [level=1]
    - search "Context log":
      - combobox "Agent"
      - textbox "On behalf of"
      - combobox "Budget"
      - combobox "Blocks"
      - textbox "Assembled from (UTC)"
      - textbox "Assembled until (UTC)"
      - button "Apply filters"
    - paragraph: 1 context
    - table "Contexts"
    - button "Compare"
  `);
});

test('a context', { tag: '@no-js' }, async ({ assembled, gate }) => {
  gate.expect(404);
  const agent = Agent.create(['context:read']);
  const { id } = await agent.assemble(unique('capstan'), { system_prompt: 'You are atlas.' });
  await assembled.open(id);
  await expect(assembled.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Context log":
        - /url: /recall/contexts
    - heading /capstan/ [level=1]
    - region "Tokens":
      - heading "Tokens" [level=2]
      - img /tokens/
      - table "Tokens of each block"
    - region "Text":
      - heading "Text" [level=2]
      - region "System prompt":
        - heading "System prompt" [level=3]
    - region "Facts":
      - term: Budget
      - term: Order
  `);
});

test('prompts', { tag: '@no-js' }, async ({ prompts }) => {
  await prompts.goto('/prompts');
  await expect(prompts.main).toMatchAriaSnapshot(`
    - heading "Prompts" [level=1]
    - region:
      - heading [level=2]
      - code: recall
      - text: /version \\d+/
      - region
    - region:
      - heading [level=2]
      - code: write
    - region:
      - heading [level=2]
      - code: write_confirming
    - region:
      - heading [level=2]
      - code: vocabulary
    - region:
      - heading [level=2]
      - code: capture
  `);
});

test('the audit log', { tag: '@no-js' }, async ({ audit }) => {
  await audit.goto('/audit?action=tenant.');
  await expect(audit.main).toMatchAriaSnapshot(`
    - heading "Audit log" [level=1]
    - search "Audit log":
      - textbox "Actor"
      - combobox "Action":
        - option "All actions"
        - option "Begins with “tenant.”" [selected]
      - textbox "About"
      - textbox "From (UTC)"
      - textbox "Until (UTC)"
      - button "Apply filters"
      - link "Clear"
    - paragraph: 1 entry
    - paragraph:
      - text: Export as
      - link "CSV"
      - text: or
      - link "JSON Lines"
    - table "Audit log":
      - rowgroup:
        - row:
          - columnheader "When"
          - columnheader "Actor"
          - columnheader "What"
      - rowgroup:
        - row /Organisation created/
  `);
});

test('knowledge', { tag: '@no-js' }, async ({ knowledge, agent }) => {
  const title = unique('The rudder');
  await agent.ingest(unique('e2e'), [{ path: 'docs/rudder.md', content: `# ${title}\n\nThe rudder is made of oak.\n` }]);
  await knowledge.goto(`/knowledge?${new URLSearchParams({ q: title })}`);
  await expect(knowledge.main).toMatchAriaSnapshot(`
    - heading "Documents" [level=1]
    - navigation "Knowledge":
      - link "Documents":
        - /url: /knowledge
      - link "Ingestions":
        - /url: /knowledge/runs
      - link "Topology":
        - /url: /knowledge/topology
    - search "Documents":
      - searchbox "Title, reference or path"
      - combobox "Kind":
        - option "Any kind" [selected]
      - combobox "Status"
      - combobox "State":
        - option "Current" [selected]
      - button "Apply filters"
      - link "Clear"
    - paragraph: 1 document
    - table "Documents":
      - rowgroup:
        - row:
          - columnheader "Document"
          - columnheader "Kind"
          - columnheader "Status"
          - columnheader "Chunks"
          - columnheader "Cited, 30 days"
          - columnheader "Updated"
      - rowgroup:
        - row /The rudder/
  `);
  await expect(knowledge.tab('Documents')).toHaveAttribute('aria-current', 'page');
  await expect(knowledge.tab('Topology')).not.toHaveAttribute('aria-current');

  await knowledge.title(title).click();
  await expect(knowledge.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Documents":
        - /url: /knowledge
    - heading /The rudder/ [level=1]
    - region "Chunks":
      - heading "Chunks" [level=2]
      - article:
        - heading /The rudder/ [level=3]
    - region "Citations":
      - heading "Citations" [level=2]
    - region "Facts":
      - term: Collection
      - term: Path
      - definition: docs/rudder.md
      - term: Chunks
      - term: Cited
      - term: Updated
    - region "Versions":
      - heading "Versions" [level=2]
      - list:
        - listitem: /current, shown here/
  `);
});

test('recall health', { tag: '@no-js' }, async ({ health }) => {
  const agent = Agent.create();
  await agent.ask('chess in Reykjavik');
  await health.gotoUntil(`/recall?agent=${agent.id}`, async () => expect(await health.items.count()).toBe(1));
  await expect(health.main).toMatchAriaSnapshot(`
    - heading "Recall health" [level=1]
    - search "Recall health":
      - combobox "Period":
        - option "24 hours"
        - option "7 days"
        - option "30 days" [selected]
        - option "90 days"
      - textbox "Day (UTC)"
      - combobox "Hour (UTC)"
      - combobox "Agent"
      - textbox "Topic"
      - combobox "Cause"
      - combobox "Result expected"
      - button "Apply filters"
      - link "Clear"
    - term: Recalls
    - term: Zero-hit rate
    - term: Missed expected results
    - figure:
      - heading "Recalls by day" [level=2]
      - region "Chart of recalls by day":
        - group /^30 days. .* found nothing/
    - figure:
      - heading "Memories stored by day" [level=2]
      - region "Chart of memories stored by day":
        - group /^30 days/
    - heading "By cause" [level=2]
    - heading "By agent" [level=2]
    - heading "By topic" [level=2]
    - region /Latest zero hits/
  `);
  const link = health.page.getByRole('link', { name: 'Health', exact: true }).filter({ visible: true });
  await expect(link).toHaveAttribute('aria-current', 'page');
  await health.goto('/recall/playground');
  await expect(link).not.toHaveAttribute('aria-current');
});

test('the recall log', { tag: '@no-js' }, async ({ recalls }) => {
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'sextant', content: 'The sextant hangs in the chart room.' });
  await agent.ask('Where does the sextant hang?');
  await recalls.openWith(agent.id, 1);
  await expect(recalls.main).toMatchAriaSnapshot(`
    - heading "Recall log" [level=1]
    - search "Recall log":
      - searchbox "Query contains"
      - button "Apply filters"
      - link "Clear"
      - combobox "Agent"
      - combobox "Outcome"
      - combobox "Ranking"
      - textbox "Returned the memory"
      - textbox "Asked from (UTC)"
      - textbox "Asked until (UTC)"
    - paragraph: 1 recall
    - table "Recalls":
      - rowgroup:
        - row:
          - columnheader "Query"
          - columnheader "Agent"
          - columnheader "Memories"
          - columnheader "Knowledge"
          - columnheader "Ranking"
          - columnheader "Duration"
          - columnheader "Asked"
      - rowgroup:
        - row /Where does the sextant hang/:
          - cell:
            - link "Where does the sextant hang?"
  `);
});

test('a recall', { tag: '@no-js' }, async ({ retrieval, gate }) => {
  // The log is written a moment behind the answer.
  gate.expect(404);
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'barometer', content: 'The barometer hangs beside the stove.' });
  const { retrieval_id } = await agent.ask('Where does the barometer hang?');
  await retrieval.open(retrieval_id, '?replay=yes');
  await expect(retrieval.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Recall log"
    - heading "Where does the barometer hang?" [level=1]
    - region "Replay":
      - heading "Replay" [level=2]
      - link "Hide the replay"
      - region "Logged":
        - heading "Logged" [level=3]
      - region "Replayed":
        - heading "Replayed" [level=3]
      - region "Today":
        - heading "Today" [level=3]
    - region "What was considered":
      - heading "What was considered" [level=2]
      - table "What was considered":
        - rowgroup:
          - row:
            - columnheader "Rank"
            - columnheader "Memory or knowledge"
            - columnheader "Scores"
            - columnheader "Outcome"
    - region "Facts"
  `);
});

test('the playground', { tag: '@no-js' }, async ({ playground, agent }) => {
  await agent.remember({ topic_raw: unique('tiller'), content: 'The tiller is held with the left hand.' });
  await playground.goto(`/recall/playground?agent=${agent.id}&q=who+holds+the+tiller`);
  await expect(playground.main).toMatchAriaSnapshot(`
    - heading "Playground" [level=1]
    - search "Playground":
      - combobox "Agent"
      - spinbutton "Maximum hits"
      - textbox "On behalf of a user"
      - searchbox "Question": who holds the tiller
      - button "Recall"
      - group: Options and filters
    - paragraph: /reached the floor/
    - region "Vocabulary":
      - term: Question
      - definition: who holds the tiller
      - term: Resolved to
      - term: Terms inside
      - term: Searched for
      - term: Vocabulary
    - region "Time":
      - list
    - region "Candidates":
      - table "Candidates":
        - rowgroup:
          - row:
            - columnheader "Rank"
            - columnheader "Candidate"
            - columnheader "Scores"
            - columnheader "Outcome"
        - rowgroup:
          - row /tiller/
  `);
});

test('a diagnosis', { tag: '@no-js' }, async ({ diagnosis, agent }) => {
  const { short_id } = await agent.remember({ topic_raw: unique('tiller'), content: 'The tiller is held with the left hand.' });
  await diagnosis.open(agent.id, short_id, 'who holds the tiller');
  await expect(diagnosis.main).toMatchAriaSnapshot(`
    - heading "Diagnose" [level=1]
    - search "Diagnose":
      - combobox "Agent"
      - textbox "Memory"
      - textbox "On behalf of a user"
      - spinbutton "Maximum hits"
      - searchbox "Question": who holds the tiller
      - button "Diagnose"
      - group: Options and filters
    - region "Verdict":
      - heading /gets this memory at rank/ [level=2]
    - region "Diagnosed memory":
      - paragraph:
        - link /tiller/
    - region "Gates":
      - heading "Gates" [level=2]
      - list "Gates":
        - listitem:
          - paragraph: Organisation passed
        - listitem:
          - paragraph: Key passed
        - listitem:
          - paragraph: Agent passed
    - region "Relevance":
      - heading "Relevance" [level=2]
  `);
});

test('people', { tag: '@no-js' }, async ({ people, person, gate }) => {
  gate.expect(404);
  const agent = Agent.create(['capture:write']);
  const what = unique('compasses');
  await agent.observe(`Vera prefers ${what}.`, 'preference');
  await people.openWith(agent, 1);
  await expect(people.main).toMatchAriaSnapshot(`
    - heading "People" [level=1]
    - search "People":
      - combobox "Agent"
      - textbox "Person begins with"
      - button "Apply filters"
      - link "Clear"
    - paragraph: 1 profile
    - table "Profiles":
      - rowgroup:
        - row:
          - columnheader "Person"
          - columnheader "Agent"
          - columnheader "Entries"
          - columnheader "Confident"
          - columnheader "Disputed"
          - columnheader "Last changed"
      - rowgroup:
        - row /No user/:
          - rowheader /compasses/:
            - link "No user"
  `);
  await person.open(agent, what);
  await expect(person.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "People"
    - heading "No user" [level=1]
    - region "Working memory":
      - heading "Working memory" [level=2]
    - region "Structured profile":
      - heading "Structured profile" [level=2]
      - list
    - region "Learned facts":
      - heading "Learned facts" [level=2]
    - region "History":
      - heading "History" [level=2]
      - list
  `);
});

test('usage', { tag: '@no-js' }, async ({ usage }) => {
  await usage.goto('/usage');
  await expect(usage.main).toMatchAriaSnapshot(`
    - heading "Usage" [level=1]
    - search "Usage":
      - textbox "From (UTC)"
      - textbox "Until (UTC)"
      - combobox "Agent"
      - textbox "Model"
      - button "Apply filters"
    - figure:
      - heading "Cost by day" [level=2]
    - heading "By agent" [level=2]
    - heading "By model" [level=2]
    - heading "By purpose" [level=2]
    - heading "By user" [level=2]
    - region "Credit and quotas":
      - heading "Credit and quotas" [level=2]
      - region "Accounts with limits":
        - table "Accounts with limits"
      - form "Grant credit":
        - textbox "US dollars"
        - textbox "User"
        - textbox "Reason"
        - button "Grant credit"
      - form "Limits of the organisation":
        - textbox "US dollars a month"
        - textbox "Tokens a month"
        - checkbox "Calls need credit"
        - button "Save limits"
      - heading "Grants and corrections" [level=3]
  `);
});

test('the lifecycle policy', { tag: '@no-js' }, async ({ lifecycle }) => {
  await lifecycle.goto('/lifecycle/policy');
  await expect(lifecycle.main).toMatchAriaSnapshot(`
    - heading "Lifecycle policy" [level=1]
    - search "Policy":
      - combobox "Agent"
      - button "Show policy"
    - group "Retention, in days":
      - textbox "Routine messages": /\\d+/
    - group "History, in days":
      - textbox "Former versions": /\\d+/
    - group "Importance of a message":
      - textbox "Base": /\\d/
    - group "Archive and limits":
      - textbox "Archived below": /\\d/
    - button "Save policy"
  `);
});

test('quality', { tag: '@no-js' }, async ({ quality, agent }) => {
  await agent.recall('Which day do we deploy the harbour service?');
  await quality.goto('/quality');
  await expect(quality.main).toMatchAriaSnapshot(`
    - heading "Quality" [level=1]
    - search "Quality":
      - combobox "Period"
      - combobox "Agent"
      - button "Apply filters"
    - region "Context utilisation":
      - heading "Context utilisation" [level=2]
    - region "Observation rate":
      - heading "Observation rate" [level=2]
    - region "Profile growth":
      - heading "Profile growth" [level=2]
    - region "Correction rate":
      - heading "Correction rate" [level=2]
    - region "Repeated questions":
      - heading "Repeated questions" [level=2]
  `);
});

test('the search policy', { tag: '@no-js' }, async ({ searchPolicy, agent }) => {
  await searchPolicy.goto(`/recall/policy?agent=${agent.id}`);
  await expect(searchPolicy.main).toMatchAriaSnapshot(`
    - heading "Search policy" [level=1]
    - textbox "Similarity": /\\d/
    - textbox "Recency": /\\d/
    - textbox "Importance": /\\d/
    - textbox "Source priority": /\\d/
    - textbox "Minimum similarity"
    - button "Save weights"
    - region "Relevant documents":
      - heading "Relevant documents" [level=2]
      - search "Agent":
        - combobox "Agent"
        - button "Show categories"
      - textbox "Categories"
      - button "Save categories"
  `);
});

test.describe('without a session', () => {
  test.use({ storageState: SIGNED_OUT });

  test('signing in', { tag: '@no-js' }, async ({ signIn, page }) => {
    await signIn.goto('/sign-in');
    await expect(page.locator('body')).toMatchAriaSnapshot(`
      - main:
        - heading "Sign in to Remembrancer" [level=1]
        - paragraph
        - text: Login
        - textbox "Login"
        - text: Password
        - textbox "Password"
        - button "Sign in"
    `);
    await expect(signIn.login).toHaveAttribute('autocomplete', 'username');
    await expect(signIn.password).toHaveAttribute('autocomplete', 'current-password');
  });
});
