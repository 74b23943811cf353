import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test('an admin makes a webhook, sees its secret once, pauses it and removes it', { tag: ['@phone', '@no-js'] }, async ({ webhooks }) => {
  const url = `https://example.org/${unique('hook').replaceAll(' ', '-')}`;
  await webhooks.goto('/webhooks');
  await webhooks.create(url, 'erasure.confirmed');
  await expect(webhooks.flash).toContainText('Created the webhook.');
  await expect(webhooks.secret).toHaveText(/^\s*whsec_[A-Za-z0-9+/=]+\s*$/);
  await expect(webhooks.row(url)).toContainText('active');

  await webhooks.send(webhooks.row(url).getByRole('button', { name: `Pause webhook ${url}`, exact: true }));
  await expect(webhooks.row(url)).toContainText('paused');
  await webhooks.goto('/webhooks');
  await expect(webhooks.secret).toHaveCount(0);

  await webhooks.row(url).getByText('Remove…').click();
  await webhooks.send(webhooks.row(url).getByRole('button', { name: `Remove webhook ${url}`, exact: true }));
  await expect(webhooks.row(url)).toHaveCount(0);
});

test('an address inside the network is refused and keeps its text', { tag: '@no-js' }, async ({ webhooks, gate }) => {
  gate.expect(400);
  await webhooks.goto('/webhooks');
  await webhooks.create('https://10.0.0.1/hook', 'job.dead');
  const address = webhooks.form.getByRole('textbox', { name: 'Address' });
  await expect(address).toHaveAccessibleDescription(/Leads into a private network/);
  await expect(address).toHaveValue('https://10.0.0.1/hook');
  await expect(webhooks.form.getByRole('checkbox', { name: 'job.dead' })).toBeChecked();
});
