import { expect, test } from '../support/test';

// What assistive technology reads of the pages of trust: names, roles and the order of what does not change with the data.

test('the audit log', { tag: '@no-js' }, async ({ audit }) => {
  await audit.goto('/audit?action=tenant.');
  await expect(audit.main).toMatchAriaSnapshot(`
    - heading "Audit" [level=1]
    - search "Audit":
      - textbox "Actor"
      - combobox "Action":
        - option "All actions"
        - option "Begins with “tenant.”" [selected]
      - textbox "About"
      - textbox "From"
      - textbox "Until"
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
          - columnheader "When UTC"
          - columnheader "Actor"
          - columnheader "What"
      - rowgroup:
        - row /Organisation created/
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
        - textbox "User (optional)"
        - textbox "Reason"
        - button "Grant credit"
      - form "Limits of the organisation":
        - textbox "US dollars a month (optional)"
        - textbox "Tokens a month (optional)"
        - checkbox "Calls need credit"
        - button "Save limits"
      - heading "Grants and corrections" [level=3]
  `);
});

test('accounts', { tag: '@no-js' }, async ({ accounts }) => {
  await accounts.goto('/accounts');
  await expect(accounts.main).toMatchAriaSnapshot(`
    - heading "Accounts" [level=1]
    - table "Accounts":
      - rowgroup:
        - row:
          - columnheader "Person"
          - columnheader "Roles"
          - columnheader "Since"
      - rowgroup:
        - row:
          - rowheader:
            - link
    - region "Open links":
      - heading "Open links" [level=2]
    - form "Invite somebody":
      - heading "Invite somebody" [level=2]
      - textbox "Login"
      - textbox "Name (optional)"
      - group "Roles":
        - checkbox /viewer/ [checked]
        - checkbox /reviewer/
        - checkbox /operator/
        - checkbox /admin/
      - combobox "The link is valid for"
      - button "Make invitation"
  `);
});
