import { environment } from '../support/environment';
import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test.use({ timezoneId: 'Asia/Tokyo' });

test('the browser stores its time zone, and the server renders the next page in it', async ({ memory, agent, context }) => {
  const { memory_id } = await agent.remember({ topic_raw: unique('clock'), content: 'The clock is slow.' });
  await context.clearCookies({ name: 'rmb-zone' });
  await memory.goto(`/memories/${memory_id}`);
  await memory.openAccount();
  await expect(memory.zone).toHaveText('Times in Asia/Tokyo');
  await expect(memory.main.locator('time').first()).toHaveAttribute('title', / Asia\/Tokyo$/);
  const response = await memory.goto(`/memories/${memory_id}`);
  expect(await response.text()).toContain('Times in Asia/Tokyo');
});

// A browser that runs JavaScript tells its own zone.
test('the server renders the zone of the cookie and ignores an unknown zone', { tag: '@only-no-js' }, async ({ frame, context }) => {
  const kept = (value: string) => context.addCookies([{ name: 'rmb-zone', value, url: environment.baseURL }]);
  await kept('America/St_Johns');
  await frame.goto('/agents');
  await frame.openAccount();
  await expect(frame.zone).toHaveText('Times in America/St_Johns');
  await kept('Nowhere/Atlantis');
  await frame.goto('/agents');
  await frame.openAccount();
  await expect(frame.zone).toHaveText('Times in UTC');
});
