import { unique } from '../support/agent';
import { expect, test } from '../support/test';

// What assistive technology reads of the pages of documents and prompts: names, roles and the order of what does not change with the data.

test('knowledge', { tag: '@no-js' }, async ({ knowledge, agent }) => {
  const title = unique('The rudder');
  await agent.ingest(unique('e2e'), [{ path: 'docs/rudder.md', content: `# ${title}\n\nThe rudder is made of oak.\n` }]);
  await knowledge.goto(`/knowledge?${new URLSearchParams({ q: title })}`);
  await expect(knowledge.main).toMatchAriaSnapshot(`
    - heading "Documents" [level=1]
    - navigation "Knowledge":
      - list:
        - listitem:
          - link "Documents":
            - /url: /knowledge
        - listitem:
          - link "Ingestions":
            - /url: /knowledge/runs
        - listitem:
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

test('uploading documents', { tag: '@no-js' }, async ({ upload }) => {
  await upload.goto('/knowledge/upload');
  await expect(upload.main).toMatchAriaSnapshot(`
    - heading "Upload documents" [level=1]
    - navigation "Knowledge"
    - combobox "Collection"
    - button "Files"
    - textbox "Or a text"
    - textbox "File name of the text (optional)"
    - button "Upload documents"
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
