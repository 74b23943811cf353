import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

// What assistive technology reads of the pages of memory: names, roles and the order of what does not change with the data.

test('the front page', { tag: '@no-js' }, async ({ overview }) => {
  await Agent.create().ask('chess in Reykjavik', { expected: true });
  await overview.gotoUntil('/', async () => expect(await overview.item('Missed expected result').count()).toBe(1));
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
          - link /^Profiles of people [\\d,]+/:
            - /url: /people
      - paragraph: /^Remembrancer \\d/
  `);
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
          - columnheader "Written, 28 days (UTC)"
          - columnheader "Last write"
          - columnheader "Last recall"
      - rowgroup:
        - row /atlas/:
          - rowheader /atlas/:
            - link "atlas"
          - cell /live/
          - cell /deleted/:
            - link /deleted/
  `);
});

test('the page of an agent', { tag: '@no-js' }, async ({ agentPage, agent }) => {
  await agentPage.goto(`/agents/${agent.id}`);
  await expect(agentPage.main).toMatchAriaSnapshot(`
    - heading "${agent.slug}" [level=1]
    - navigation "About this agent":
      - link "Memories"
      - link "Recalls"
      - link "Events"
      - link "Audit"
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
    - group: Correct…
    - group: Delete…
    - region "Facts":
      - term: Agent
      - definition:
        - link
      - term: Topic as sent
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
    - region "History":
      - heading "History" [level=2]
      - list:
        - listitem:
          - text: /v1 Memory stored/
    - region "Audit trail":
      - heading "Audit trail" [level=2]
      - list:
        - listitem:
          - text: /Memory stored/
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
        - row /Without a user/:
          - rowheader /compasses/:
            - link "Without a user"
  `);
  await person.open(agent, what);
  await expect(person.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "People"
    - heading "Without a user" [level=1]
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

test('a person', { tag: '@no-js' }, async ({ people, person }) => {
  const agent = Agent.create(['capture:write']);
  const who = unique('crm').replace(' ', '-');
  const topic = unique('harbour');
  await agent.observe('Vera prefers sextants.', 'preference', undefined, who);
  await agent.remember({ topic_raw: topic, content: 'Vera lives at the harbour.', user_id: who });
  await people.goto(`/people?user=${who}`);
  await people.found.filter({ hasText: who }).click();
  await expect(person.heading).toHaveText(who);
  // The observation is processed a moment after it is accepted.
  await person.gotoUntil(new URL(person.page.url()).pathname, async () => expect(await person.entries.count()).toBe(1));
  await expect(person.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "People"
    - heading /crm-/ [level=1]
    - region "Profiles":
      - heading "Profiles" [level=2]
      - list:
        - listitem:
          - heading /, 1 entry$/ [level=3]
          - list:
            - listitem:
              - paragraph: /Vera prefers sextants/
    - region "Memories":
      - heading "Memories" [level=2]
      - list:
        - listitem:
          - paragraph:
            - link "${topic}"
    - region "Recalls on their behalf":
      - heading "Recalls on their behalf" [level=2]
      - paragraph: No recall in the log was on behalf of this person.
      - paragraph:
        - link "Contexts that were assembled for them"
    - region "Sources":
      - heading "Sources" [level=2]
      - list:
        - listitem:
          - link "Vera prefers sextants."
    - paragraph:
      - link "Export"
      - link "Erase…"
    - group: Set a legal hold…
    - region "Erasure requests":
      - heading "Erasure requests" [level=2]
  `);
});

test('projects', { tag: '@no-js' }, async ({ projects }) => {
  await projects.goto('/projects');
  await expect(projects.main).toMatchAriaSnapshot(`
    - heading "Projects" [level=1]
    - heading "New project" [level=2]
    - textbox "Slug"
    - textbox "Name (optional)"
    - button "Create project"
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
