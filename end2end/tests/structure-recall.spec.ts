import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

// What assistive technology reads of the pages of recall: names, roles and the order of what does not change with the data.

test('recall health', { tag: '@no-js' }, async ({ health }) => {
  const agent = Agent.create();
  await agent.ask('chess in Reykjavik');
  await health.gotoUntil(`/recall?agent=${agent.id}`, async () => expect(await health.items.count()).toBe(1));
  await expect(health.main).toMatchAriaSnapshot(`
    - heading "Health" [level=1]
    - search "Health":
      - combobox "Period":
        - option "24 hours"
        - option "7 days"
        - option "30 days" [selected]
        - option "90 days"
      - textbox "Day"
      - combobox "Hour"
      - combobox "Agent"
      - textbox "Topic"
      - combobox "Cause"
      - combobox "Result expected"
      - button "Apply filters"
      - link "Clear"
    - term: Recalls
    - term: Found nothing
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
    - region /Latest recalls that found nothing/
  `);
  // The entry of the sidebar comes before the tab.
  const link = health.page.getByRole('link', { name: 'Health', exact: true }).filter({ visible: true }).first();
  await expect(link).toHaveAttribute('aria-current', 'page');
  await health.goto('/recall/playground');
  await expect(link).not.toHaveAttribute('aria-current');
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
  `);
  // A measure with numbers has a chart around its heading.
  const measures = ['Context utilisation', 'Observation rate', 'Profile growth', 'Correction rate', 'Repeated questions'];
  await expect(quality.main.getByRole('heading', { level: 2 })).toHaveText(measures);
  for (const name of measures) {
    await expect(quality.main.getByRole('region', { name, exact: true })).toBeVisible();
  }
});

test('a set of expectations and its form', { tag: '@no-js' }, async ({ expectations, agent }) => {
  const { memory_id } = await agent.remember({ topic_raw: unique('sextant'), content: 'The sextant hangs in the chart room.' });
  const [set, q] = [unique('instruments'), 'Where does the sextant hang?'];
  await expectations.goto(`/quality/expectations/new?${new URLSearchParams({ agent: agent.id, q, memory: memory_id, from: 'diagnosis' })}`);
  await expect(expectations.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Expectations"
    - heading "New expectation" [level=1]
    - form "New expectation":
      - textbox "Question"
      - combobox "Agent"
      - textbox "On behalf of a user (optional)"
      - textbox "Expected memories"
      - textbox "Note (optional)"
      - button "Add expectation"
      - link "Cancel"
  `);
  await expectations.newSet.fill(set);
  await expectations.send(expectations.add);
  await expectations.runUntil('1 of 1');
  await expect(expectations.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Expectations"
    - heading "${set}" [level=1]
    - button "Run the set"
    - region "Last run":
      - heading "Last run" [level=2]
      - term: Met
      - term: Recall
      - term: MRR
      - term: Run
      - term: Model
      - term: Floors
      - term: Vocabulary
    - figure:
      - heading "Runs" [level=2]
      - region "Chart of runs"
    - region "Expectations":
      - heading "Expectations" [level=2]
      - table "Expectations"
  `);
});

test('the recall log', { tag: '@no-js' }, async ({ recalls }) => {
  const agent = Agent.create();
  await agent.remember({ topic_raw: 'sextant', content: 'The sextant hangs in the chart room.' });
  await agent.ask('Where does the sextant hang?');
  await recalls.openWith(agent.id, 1);
  await expect(recalls.main).toMatchAriaSnapshot(`
    - heading "Recalls" [level=1]
    - search "Recalls":
      - searchbox "Query contains"
      - combobox "Agent"
      - combobox "Outcome"
      - combobox "Ranking"
      - textbox "Returned the memory"
      - textbox "Asked from"
      - textbox "Asked until"
      - button "Apply filters"
      - link "Clear"
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
      - link "Recalls"
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

test('the context log', { tag: '@no-js' }, async ({ contexts }) => {
  const agent = Agent.create(['context:read']);
  await agent.assemble(unique('capstan'));
  await contexts.openWith(agent.id, 1);
  await expect(contexts.main).toMatchAriaSnapshot(`
    - heading "Contexts" [level=1]
    - search "Contexts":
      - combobox "Agent"
      - textbox "On behalf of"
      - combobox "Budget"
      - combobox "Blocks"
      - textbox "Assembled from"
      - textbox "Assembled until"
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
      - link "Contexts":
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

test('the search across sources', { tag: '@no-js' }, async ({ searchPolicy, agent }) => {
  await searchPolicy.goto(`/recall/policy?agent=${agent.id}`);
  await expect(searchPolicy.main).toMatchAriaSnapshot(`
    - heading "Search across sources" [level=1]
    - textbox "Similarity": /\\d/
    - textbox "Recency": /\\d/
    - textbox "Importance": /\\d/
    - textbox "Source priority": /\\d/
    - textbox "Minimum similarity (optional)"
    - button "Save weights"
    - region "For one agent":
      - heading "For one agent" [level=2]
      - search "Agent":
        - combobox "Agent"
        - searchbox "Question to try"
        - button "Show"
        - textbox "Similarity to try": /\\d/
        - textbox "Minimum similarity to try"
      - textbox "Categories (optional)"
      - button "Save categories"
  `);
});

test('the embedding model', { tag: '@no-js' }, async ({ embeddingModel }) => {
  await embeddingModel.goto('/recall/model');
  await expect(embeddingModel.main).toMatchAriaSnapshot(`
    - heading "Embedding model" [level=1]
    - region /\\w/:
      - heading [level=2]
      - term: Reads
      - term: Dimensions
      - heading "Texts with a vector" [level=3]
      - list:
        - listitem: /Memories/
        - listitem: /Sections/
        - listitem: /Profiles/
        - listitem: /Terms/
    - region "Change the model":
      - heading "Change the model" [level=2]
      - region "Commands"
  `);
});
