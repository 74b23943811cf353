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
        - list:
          - listitem:
            - link "Overview":
              - /url: /
          - listitem:
            - link /^Review/:
              - /url: /inbox
          - listitem:
            - link "Memories":
              - /url: /memories
          - listitem:
            - link "People":
              - /url: /people
          - listitem:
            - link "Agents":
              - /url: /agents
          - listitem:
            - link "Projects":
              - /url: /projects
          - listitem:
            - link "Knowledge":
              - /url: /knowledge
          - listitem:
            - link "Vocabulary":
              - /url: /vocabulary/terms
          - listitem:
            - link "Sources":
              - /url: /sources
          - listitem:
            - link "Recalls":
              - /url: /recall/log
          - listitem:
            - link "Health":
              - /url: /recall
          - listitem:
            - link "Playground":
              - /url: /recall/playground
        - separator
        - list:
          - listitem:
            - link "Audit":
              - /url: /audit
          - listitem:
            - link "Erasure":
              - /url: /erasure
          - listitem:
            - link "Usage":
              - /url: /usage
          - listitem:
            - link "Settings":
              - /url: /inbox/policy
      - group: /Vera/
    - main:
      - heading "Agents" [level=1]
  `);
  await expect(page.getByRole('link', { name: 'Agents', exact: true }).filter({ visible: true })).toHaveAttribute('aria-current', 'page');
  // Nothing of the sidebar is below the fold of a small laptop.
  await expect(page.getByRole('link', { name: 'Settings', exact: true }).filter({ visible: true })).toBeInViewport({ ratio: 1 });
  await expect(frame.account).toBeInViewport({ ratio: 1 });
  await frame.openAccount();
  await expect(frame.signOut().filter({ visible: true })).toBeInViewport({ ratio: 1 });
  await expect(frame.account).toMatchAriaSnapshot(`
    - group:
      - text: /Vera/
      - paragraph: viewer, reviewer, operator, admin
      - paragraph: /^Times in/
      - group "Theme":
        - button "System" [pressed]
        - button "Light"
        - button "Dark"
      - button "Sign out"
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
