import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unique } from '../support/agent';
import { Client } from '../support/client';
import { expect, test } from '../support/test';

/** The program of a person: it waits for the browser on this machine. */
let program: Server;
let redirect: string;

test.beforeEach(async () => {
  program = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<title>Go back to the program</title>'));
  await new Promise<void>((listening) => program.listen(0, '127.0.0.1', listening));
  redirect = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
});

test.afterEach(() => {
  program.closeAllConnections();
  program.close();
});

test('a client gets the access that was chosen', { tag: ['@no-js', '@phone'] }, async ({ consent, agentPage, agent, page, request }) => {
  const name = unique('Claude');
  const client = await Client.register(request, name, redirect);
  await consent.goto(client.page('memory:read memory:write users:any'));
  await expect(consent.asked).toContainText(name);
  await expect(consent.asked).toContainText(new URL(redirect).origin);
  await expect(consent.scope('users:any')).toHaveCount(0);
  await consent.agent.selectOption(agent.slug);
  await consent.scope('memory:write').uncheck();
  await consent.allow.click();

  // The page that answers the form leads to the program by itself.
  await page.waitForURL((url) => url.href.startsWith(redirect));
  const answer = new URL(page.url()).searchParams;
  expect(answer.get('state')).toBe('a state');
  const token = await client.token(answer.get('code') ?? '');
  const tools = await (await request.get('/api/tools', { headers: { Authorization: `Bearer ${token}` } })).text();
  expect(tools).toContain('agent_memory_recall');
  expect(tools).not.toContain('"agent_memory_remember"');

  await agentPage.goto(`/agents/${agent.id}`);
  const key = agentPage.key(name);
  await expect(key).toContainText('Renewed by its client');
  await expect(key).toContainText('Access given by');
  await agentPage.revoke(key);
  await expect(key).toContainText('revoked');
  await expect(key.getByText('Revoke…', { exact: true })).toHaveCount(0);
});

test('a denial leads back to the client without a code', { tag: '@no-js' }, async ({ consent, page, request }) => {
  const client = await Client.register(request, unique('Claude'), redirect);
  await consent.goto(client.page('memory:read'));
  await consent.deny.click();
  await page.waitForURL((url) => url.href.startsWith(redirect));
  const answer = new URL(page.url()).searchParams;
  expect([answer.get('error'), answer.get('code')]).toEqual(['access_denied', null]);
});

test('a person whom nobody knows is refused, and what was chosen stays', { tag: '@no-js' }, async ({ consent, agent, request }) => {
  const client = await Client.register(request, unique('Claude'), redirect);
  await consent.goto(client.page('memory:read memory:write'));
  await consent.agent.selectOption(agent.slug);
  await consent.scope('memory:write').uncheck();
  await consent.person.fill('crm-nobody');
  await consent.send(consent.allow);
  await expect(consent.asked).toContainText('no user has this reference or name');
  await expect(consent.person).toHaveValue('crm-nobody');
  await expect(consent.agent.locator('option:checked')).toHaveText(agent.slug);
  await expect(consent.scope('memory:write')).not.toBeChecked();
  await expect(consent.scope('memory:read')).toBeChecked();
});

test.describe('somebody who may only look', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('gives no more than that', async ({ consent, request }) => {
    const client = await Client.register(request, unique('Claude'), redirect);
    await consent.goto(client.page('memory:read memory:write'));
    await expect(consent.refused).toHaveText('Your roles do not allow: memory:write.');
    await expect(consent.scope('memory:write')).toHaveCount(0);
    await expect(consent.scope('memory:read')).toBeChecked();
  });
});
