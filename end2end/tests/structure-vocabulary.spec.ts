import { unique } from '../support/agent';
import { expect, test } from '../support/test';

// What assistive technology reads of the pages of the vocabulary: names, roles and the order of what does not change with the data.

test('reviewing a proposal', { tag: '@no-js' }, async ({ vocabulary, agent }) => {
  const phrase = unique('terraforms');
  await agent.remember({ topic_raw: phrase, content: 'It is written down in the repository.' });
  await vocabulary.open(phrase);
  await expect(vocabulary.main).toMatchAriaSnapshot(`
    - heading "Proposed terms" [level=1]
    - navigation "Review":
      - list:
        - listitem:
          - link /^Proposed terms/
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
      - textbox "Definition (optional)"
      - textbox "Category (optional)"
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
    - paragraph:
      - link "Proposed terms":
        - /url: /vocabulary
    - heading "Decide proposals" [level=1]
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
    - textbox "Definition (optional)"
    - textbox "Category (optional)"
    - button /^Approve “windlass/
    - link "Cancel"
  `);
});

test('terms', { tag: '@no-js' }, async ({ terms }) => {
  await terms.goto('/vocabulary/terms?q=stage-db');
  await expect(terms.main).toMatchAriaSnapshot(`
    - heading "Terms" [level=1]
    - navigation "Vocabulary":
      - list:
        - listitem:
          - link "Terms"
        - listitem:
          - link "Decisions"
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

test('a new term', { tag: '@no-js' }, async ({ terms }) => {
  await terms.goto('/vocabulary/terms/new');
  await expect(terms.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Terms"
    - heading "New term" [level=1]
    - form "New term":
      - heading "New term" [level=2]
      - textbox "Term"
      - textbox "Definition (optional)"
      - textbox "Category (optional)"
      - textbox "Aliases (optional)"
      - button "Create term"
    - form "New alias":
      - heading "New alias" [level=2]
      - textbox "Alias"
      - combobox "Term of the alias"
      - button "Add alias"
  `);
});

test('a term', { tag: '@no-js' }, async ({ term }) => {
  await term.open('design review');
  await expect(term.main).toMatchAriaSnapshot(`
    - paragraph:
      - link "Terms":
        - /url: /vocabulary/terms
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
    - paragraph:
      - link "Terms"
    - heading "Change a term" [level=1]
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
