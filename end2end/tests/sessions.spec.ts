import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('a session shows what it was given and what was captured from it', { tag: ['@phone', '@no-js'] }, async ({ sessions, sessionPage, source }) => {
  const agent = Agent.create(['capture:write']);
  const name = unique('codex/s').replace(' ', '-');
  const question = unique('Which quay is free on Tuesdays');
  await agent.remember({ topic_raw: unique('quay'), content: 'The north quay is free on Tuesdays.' });
  await agent.within(`${name}; tokens=0`, 'context_for', { task: 'Work on the timetable of the quay.' });
  await agent.within(`${name}; tokens=40`, 'agent_memory_recall', { query: question });
  const title = unique('Codex in acme/quay');
  await agent.send(`${name}; tokens=65`, title, [{ role: 'user', content: 'We decided to paint the quay because it rusts.' }]);

  await sessions.goto(`/sessions?agent=${agent.id}`);
  await expect(sessions.total).toHaveText('1 session');
  await sessions.host.selectOption('Cursor');
  await sessions.apply.click();
  await expect(sessions.empty).toContainText('No session matches these filters');
  await sessions.host.selectOption('Codex');
  await sessions.apply.click();
  await sessions.rows.getByRole('link', { name: 'Codex', exact: true }).click();
  await expect(sessionPage.heading).toHaveText('Codex');
  await sessionPage.until(2);
  await expect(sessionPage.given.nth(0)).toContainText('Context');
  await expect(sessionPage.given.nth(1)).toContainText('Recall');
  await expect(sessionPage.given.nth(1).getByRole('link')).toHaveText(question);
  await expect(sessionPage.numbers).toContainText('65');
  await sessionPage.captured.getByRole('link', { name: title }).click();
  await expect(source.heading).toHaveText(title);
});
