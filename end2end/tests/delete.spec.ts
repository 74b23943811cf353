import { unique, type Agent } from '../support/agent';
import { expect, test } from '../support/test';

async function rememberOne(agent: Agent): Promise<{ id: string; topic: string; question: string }> {
  const topic = unique('safe');
  const { memory_id } = await agent.remember({ topic_raw: topic, content: `The combination of the ${topic} is kept by the notary.` });
  return { id: memory_id, topic, question: `Who keeps the combination of the ${topic}?` };
}

test('the browser requires a reason before it sends the form', async ({ memory, agent }) => {
  const { id, question } = await rememberOne(agent);
  await memory.open(id);
  await expect(memory.delete).toBeHidden();
  await memory.unfoldDelete.click();
  await memory.delete.click();
  await expect(memory.reason).toBeFocused();
  await expect(memory.page.locator(':invalid').and(memory.reason)).toBeVisible();
  await expect(memory.deleted).toHaveCount(0);
  expect(await agent.recall(question)).toContain(id);
});

test('a blank reason is rejected at its field', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const { id, question } = await rememberOne(agent);
  await memory.open(id);
  await memory.unfoldDelete.click();
  await memory.reason.fill('   ');
  await memory.send(memory.delete);
  await expect(memory.page).toHaveURL(`/memories/${id}`);
  // The form is open again, and the error describes the field.
  await expect(memory.reason).toBeVisible();
  await expect(memory.reason).toHaveAttribute('aria-invalid', 'true');
  await expect(memory.reason).toHaveAccessibleDescription(/Must not be empty\./);
  await expect(memory.flash).toHaveRole('alert');
  await expect(memory.deleted).toHaveCount(0);
  expect(await agent.recall(question)).toContain(id);
  // The message appears once.
  await memory.open(id);
  await expect(memory.flash).toHaveCount(0);
  await expect(memory.reason).toBeHidden();
});

test('a deleted memory is hidden from recall, recorded in the audit log, and can be restored', { tag: ['@phone', '@no-js'] }, async ({ memory, memories, audit, agent }) => {
  const { id, topic, question } = await rememberOne(agent);
  expect(await agent.recall(question)).toContain(id);

  // In the panel beside a filtered list, below the text that goes.
  await memories.goto(agent.memories({ topic, peek: id }));
  await memories.peek.correct.click();
  await expect(memory.newContent).toBeVisible();
  await memory.back.click();
  await expect(memories.rows).toHaveCount(1);
  await memories.topic(topic).click();
  await expect(memories.peek.reason).toBeHidden();
  await memories.peek.delete.click();
  if (memories.scripted) await expect(memories.peek.reason).toBeFocused();
  await expect(memories.peek.content).toBeInViewport();
  await memories.peek.reason.fill('  ');
  await memories.send(memories.peek.confirm);
  await expect(memories.peek.reason).toHaveAttribute('aria-invalid', 'true');
  await memories.peek.reason.fill('The notary asked us to.');
  await memories.send(memories.peek.confirm);
  await expect(memories.flash).toHaveRole('status');
  await expect(memories.flash).toContainText('Deleted 1 memory: “');
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id, topic });
  await expect(memories.empty).toBeVisible();
  await memory.open(id);
  await expect(memory.deleted).toContainText(/^Deleted .* by Vera\. Recalls no longer find it\./);
  await expect(memory.deleted).toContainText('Reason: The notary asked us to.');
  await expect(memory.content).toContainText('kept by the notary');
  await expect(memory.history.first()).toContainText(/v2\s*Memory deleted\s*Vera/);
  expect(await agent.recall(question)).not.toContain(id);

  await memories.goto(agent.memories({ topic, deleted: 'true' }));
  await expect(memories.row(topic).getByText('deleted', { exact: true })).toBeVisible();
  await expect(memories.row(topic)).toContainText('by Vera');
  await expect(memories.row(topic).getByText('Reason: The notary asked us to.')).toBeVisible();

  await audit.goto(`/audit?action=memory.forgotten&target=${id}`);
  await expect(audit.entries).toHaveCount(1);
  await expect(audit.entries).toContainText('Vera');
  await expect(audit.entries).toContainText('Memory deleted');
  await expect(audit.entries).toContainText('Reason: The notary asked us to.');

  await memories.goto(agent.memories({ topic, deleted: 'true' }));
  await memories.restore(topic).click();
  await memory.reason.fill('It was the other safe.');
  await memory.send(memory.restore);
  await expect(memory.flash).toContainText('Restored 1 memory: “');
  await expect(memory.deleted).toHaveCount(0);
  await expect(memory.history.first()).toContainText(/v3\s*Memory restored\s*Vera/);
  await expect(memory.trail.first()).toContainText('Memory restored');
  await expect(memory.trail.first()).toContainText('Reason: It was the other safe.');
  await expect(memory.unfoldDelete).toBeVisible();
  expect(await agent.recall(question)).toContain(id);
});

test('deleting a memory that is already deleted says so', async ({ memory, page, agent }) => {
  const { id } = await rememberOne(agent);
  await memory.open(id);
  await memory.unfoldDelete.click();
  await memory.reason.fill('No longer needed.');
  await agent.forget(id, 'asked for');
  await memory.send(memory.delete);
  await expect(memory.flash).toContainText('Deleted 0 memories. One was deleted before.');
  await expect(memory.deleted).toContainText(`by ${agent.slug}`);
  await expect(page).toHaveURL(`/memories/${id}`);
});
