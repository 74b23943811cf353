import { unique } from '../support/agent';
import { expect, SIGNED_OUT, test } from '../support/test';

// What assistive technology is told of each page: names, roles and order of what does not change with the data.

test('the frame', { tag: '@no-js' }, async ({ frame, page }) => {
  await frame.goto('/agents');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - link "Skip to content":
      - /url: "#main"
    - banner:
      - link "Remembrancer":
        - /url: /agents
      - navigation "Main":
        - paragraph: Memory
        - list:
          - listitem:
            - link "Agents":
              - /url: /agents
          - listitem:
            - link "Memories":
              - /url: /memories
        - paragraph: Trust
        - list:
          - listitem:
            - link "Audit log":
              - /url: /audit
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
    - paragraph: /\\d+ agents · .* live · \\d+ deleted/
    - table "Agents":
      - rowgroup:
        - row:
          - columnheader "Agent"
          - columnheader "Live"
          - columnheader "Deleted"
          - columnheader "Added, 7 days"
          - columnheader "Written, 28 days"
          - columnheader "Last write"
          - columnheader "Last recall"
      - rowgroup:
        - row /binky/:
          - rowheader /binky/:
            - link "binky"
          - cell "9"
          - cell "0"
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
      - group:
        - textbox "Topic contains": error budget
        - combobox "In the vocabulary"
        - combobox "Platform"
        - textbox "Channel"
        - textbox "User"
        - textbox "Updated from"
        - textbox "Updated until"
        - combobox "State"
        - button "Apply filters"
        - link "Clear all"
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
          - code: memory.remembered
    - group: Delete…
    - region "Facts":
      - term: Agent
      - definition:
        - link
      - term: Topic as met
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

test('the deletion of several', { tag: '@no-js' }, async ({ deletion, agent }) => {
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

test('the audit log', { tag: '@no-js' }, async ({ audit }) => {
  await audit.goto('/audit?action=tenant.');
  await expect(audit.main).toMatchAriaSnapshot(`
    - heading "Audit log" [level=1]
    - search "Audit log":
      - textbox "Actor"
      - combobox "Action begins with"
      - textbox "Target"
      - textbox "From"
      - textbox "Until"
      - button "Apply filters"
      - link "Clear"
    - paragraph: 1 entry
    - table "Audit log":
      - rowgroup:
        - row:
          - columnheader "When"
          - columnheader "Actor"
          - columnheader "What"
          - columnheader "Target"
      - rowgroup:
        - row /tenant.created/
  `);
});

test.describe('at the door', () => {
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
