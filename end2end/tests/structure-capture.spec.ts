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
