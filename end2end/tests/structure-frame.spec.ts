import { expect, SIGNED_OUT, test } from '../support/test';

// What assistive technology reads of the frame around every page, and of the page outside it: names, roles and the order of what does
// not change with the data.

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
          - listitem:
            - link "Embedding model":
              - /url: /recall/model
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
