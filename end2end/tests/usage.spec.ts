import { randomUUID } from 'node:crypto';
import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test('the page shows what models cost, and filters it', { tag: ['@phone', '@no-js'] }, async ({ usage, request, gate }) => {
  gate.expect(400);
  await usage.goto('/usage');
  await expect(usage.totals).toContainText(/\$\d+\.\d\d for [\d,]+ calls/);
  await expect(usage.byAgent).toContainText('atlas');
  await expect(usage.models).toContainText('example-large');
  const href = (await usage.csv.getAttribute('href')) ?? '';
  const file = await request.get(href);
  expect(file.headers()['content-type']).toContain('text/csv');
  expect(await file.text()).toMatch(/^day,agent,user,model,purpose,calls,tokens_in,tokens_out,dollars\r\n/);

  await usage.goto('/usage?model=example-large');
  await expect(usage.models.getByRole('rowheader')).toHaveText(['example-large']);
  await usage.goto('/usage?model=no-such-model');
  await expect(usage.main).toContainText('No calls match these filters');
  await usage.goto('/usage?from=2026-01-01&until=2026-06-30');
  await expect(usage.error).toContainText('at most 92 are allowed');
});

test('an administrator grants credit and sets a quota; a wrong form changes nothing', { tag: ['@phone', '@no-js'] }, async ({ usage, audit }) => {
  // An account of its own: the others depend on that of the organisation.
  const user = randomUUID();
  const reason = unique('pilot budget');
  await usage.goto('/usage');
  await usage.grant.getByLabel('US dollars').fill('a lot');
  await usage.grant.getByLabel('User').fill(user);
  await usage.grant.getByLabel('Reason').fill(reason);
  await usage.send(usage.grantCredit);
  await expect(usage.grant).toContainText('Enter an amount in US dollars');
  await expect(usage.grant.getByLabel('User')).toHaveValue(user);
  await expect(usage.accountOf(user)).toHaveCount(0);
  await usage.grant.getByLabel('US dollars').fill('12.50');
  await usage.send(usage.grantCredit);
  await expect(usage.flash).toContainText('The credit was granted.');
  await expect(usage.accountOf(user)).toContainText('$12.50 left');
  await expect(usage.credit(reason)).toContainText('$12.50');

  await usage.limitUser.click();
  await usage.limits.getByLabel('User').fill(user);
  await usage.limits.getByLabel('Tokens a month').fill('some');
  await usage.send(usage.saveLimits);
  await expect(usage.limits).toContainText('Enter a whole number, or leave the field empty.');
  await expect(usage.limits.getByLabel('User')).toHaveValue(user);
  await usage.limits.getByLabel('Tokens a month').fill('0');
  await usage.send(usage.saveLimits);
  await expect(usage.flash).toContainText('The limits were saved.');
  await expect(usage.accountOf(user)).toContainText('Used up until 1 ');
  await usage.accountOf(user).getByRole('link', { name: 'Change limits' }).click();
  await expect(usage.limits.getByTestId('limited')).toHaveText(user);
  await expect(usage.limits.getByLabel('Tokens a month')).toHaveValue('0');
  await audit.goto(`/audit?target=${user}`);
  await expect(audit.main).toContainText('Credit granted');
  await expect(audit.main).toContainText(reason);
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('reads the page and is offered no form', { tag: '@no-js' }, async ({ usage }) => {
    await usage.goto('/usage');
    await expect(usage.totals).toBeVisible();
    await expect(usage.main).toContainText('Changing limits requires the role “admin”.');
    await expect(usage.grant).toHaveCount(0);
  });
});
