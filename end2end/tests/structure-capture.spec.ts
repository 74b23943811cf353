import { unique } from '../support/agent';
import { expect, test } from '../support/test';

// What assistive technology reads of the pages of capture: names, roles and the order of what does not change with the data.

test('capturing', { tag: '@no-js' }, async ({ capture }) => {
  await capture.goto('/capture');
  await expect(capture.main).toMatchAriaSnapshot(`
    - heading "Capture" [level=1]
    - textbox "Text"
    - group "Kind":
      - radio /^Transcript/ [checked]
      - radio /^Note/
      - radio /^Summary/
    - combobox "Agent"
    - textbox "Title (optional)"
    - combobox "Scope of the memories"
    - button "Capture text"
  `);
});

test('sessions', { tag: '@no-js' }, async ({ sessions, sessionPage }) => {
  await sessions.goto('/sessions?host=codex');
  await expect(sessions.main).toMatchAriaSnapshot(`
    - heading "Sessions" [level=1]
    - navigation "Sources":
      - list:
        - listitem:
          - link "Sources"
        - listitem:
          - link "Sessions"
        - listitem:
          - link "Capture"
    - search "Sessions":
      - combobox "Host"
      - combobox "Project"
      - combobox "Agent"
      - textbox "On behalf of"
      - button "Apply filters"
      - link "Clear"
    - table "Sessions"
  `);
  await sessions.rows.getByRole('link', { name: 'Codex in schedule-editor', exact: true }).click();
  await expect(sessionPage.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Sessions":
        - /url: /sessions
    - heading "Codex in schedule-editor" [level=1]
    - region "Given":
      - heading "Given" [level=2]
      - list:
        - listitem:
          - link /schedule-editor/
        - listitem:
          - link "Who approves a release?"
    - region "Captured":
      - heading "Captured" [level=2]
      - list:
        - listitem:
          - link "Codex in acme/schedule-editor"
    - region "Facts":
      - term: Host
      - term: Project
      - term: Agent
      - term: Tokens given
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
      - paragraph: Extraction finished.
      - link "Review 1 candidate"
    - region "Speakers":
      - heading "Speakers" [level=2]
      - list:
        - listitem:
          - text: /Vera/
          - group: /Rename…/
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
    - heading "Candidates" [level=1]
    - navigation "Review":
      - list:
        - listitem:
          - link /^Candidates/
        - listitem:
          - link /^Proposed terms/
        - listitem:
          - link /^Suggestions/
        - listitem:
          - link /^Contradictions/
        - listitem:
          - link /^Quarantine/
        - listitem:
          - link /^Shared memories/
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
      - group: Edit before confirming…
      - textbox "Reason for rejection"
      - button "Reject"
  `);
});
