import { Agent, unique } from '../support/agent';
import { expect, test } from '../support/test';

test('the page shows what expires, and a sweep appears in its list', { tag: ['@phone', '@no-js'] }, async ({ lifecycle }) => {
  const agent = Agent.create();
  await agent.say(unique('thread'), [{ role: 'user', content: 'The tide is low in the morning.' }]);
  await lifecycle.goto('/lifecycle');
  await expect(lifecycle.main.getByRole('heading', { name: 'Lifecycle' })).toBeVisible();
  await expect(lifecycle.expiring).toContainText(/[1-9][\d,]* memor(y expires|ies expire) in the next seven days/);
  await lifecycle.send(lifecycle.sweepNow);
  await expect(lifecycle.flash).toContainText('The sweep was requested.');
  await expect
    .poll(async () => {
      await lifecycle.goto('/lifecycle');
      return lifecycle.sweeps.count();
    })
    .toBeGreaterThan(0);
});

test('a message shows its factors, and a pinned one loses its end', { tag: ['@phone', '@no-js'] }, async ({ memory }) => {
  const agent = Agent.create();
  const { messages } = await agent.say(unique('thread'), [{ role: 'user', content: 'Idris approved 1200 EUR for the fair.' }]);
  const back = agent.memories({});
  await memory.goto(`/memories/${messages[0]?.memory_id ?? ''}?back=${encodeURIComponent(back)}`);
  await expect(memory.main).toContainText('approval +0.30 (“approved”)');
  await expect(memory.main).toContainText('it holds a decision or an approval');
  await expect(memory.main).toContainText('Kept as a decision, until');
  await memory.send(memory.main.getByRole('button', { name: 'Pin memory' }));
  await expect(memory.flash).toContainText('Pinned.');
  await expect(memory.back).toHaveAttribute('href', back);
  await expect(memory.main).not.toContainText('Kept as a decision, until');
  await memory.send(memory.main.getByRole('button', { name: 'Unpin memory' }));
  await expect(memory.main).toContainText('Kept as a decision, until');
});

test('an administrator changes a policy; a form with a wrong number changes nothing', { tag: ['@phone', '@no-js'] }, async ({ lifecycle }) => {
  // A policy of an agent's own: other tests depend on that of the organisation.
  const agent = Agent.create();
  await lifecycle.goto(`/lifecycle/policy?agent=${agent.id}`);
  await lifecycle.field('Completed tasks').fill('45');
  await lifecycle.field('Archived below').fill('a little');
  await lifecycle.field('Maximum episodes per agent').fill('0');
  await lifecycle.send(lifecycle.save);
  await expect(lifecycle.main).toContainText('Enter a number.');
  await expect(lifecycle.field('Completed tasks')).toHaveValue('45');
  await lifecycle.field('Archived below').fill('0.05');
  await lifecycle.send(lifecycle.save);
  await expect(lifecycle.main).toContainText('Must be from 1 to 100000000.');
  await lifecycle.goto(`/lifecycle/policy?agent=${agent.id}`);
  await expect(lifecycle.field('Completed tasks')).toHaveValue('30');

  await lifecycle.field('Completed tasks').fill('45');
  await lifecycle.send(lifecycle.save);
  await expect(lifecycle.flash).toContainText('The policy was saved.');
  await expect(lifecycle.field('Completed tasks')).toHaveValue('45');
  await lifecycle.goto('/lifecycle/policy');
  await expect(lifecycle.field('Completed tasks')).toHaveValue('30');
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('reads the page and is offered no sweep', { tag: '@no-js' }, async ({ lifecycle }) => {
    await lifecycle.goto('/lifecycle');
    await expect(lifecycle.main.getByRole('heading', { name: 'Lifecycle' })).toBeVisible();
    await expect(lifecycle.sweepNow).toHaveCount(0);
    await lifecycle.goto('/lifecycle/policy');
    await expect(lifecycle.policy).toContainText('Former versions');
    await expect(lifecycle.save).toHaveCount(0);
  });
});
