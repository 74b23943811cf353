import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test('an operator corrects a memory, the agent recalls it, and the correction is undone', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const what = unique('harbour');
  const { memory_id: id } = await agent.remember({ topic_raw: `opening of the ${what}`, content: `The ${what} opens at nine.` });
  await memory.open(id);
  await memory.unfoldCorrect.click();
  await expect(memory.newContent).toHaveValue(`The ${what} opens at nine.`);
  await memory.newContent.fill(`The ${what} opens at seven.\nIts gate opens at six.`);
  await memory.reason.fill('   ');
  await memory.send(memory.correct);
  // Nothing that was typed is lost, and the error is at its field.
  await expect(memory.newContent).toHaveValue(`The ${what} opens at seven.\nIts gate opens at six.`);
  await expect(memory.reason).toHaveAccessibleDescription(/Must not be empty\./);

  await memory.reason.fill('Idris rang the office');
  await memory.send(memory.correct);
  await expect(memory.flash).toContainText('Corrected. Agents recall the new content.');
  await expect(memory.content).toHaveText(`The ${what} opens at seven.\nIts gate opens at six.`);
  const [hit] = (await agent.ask(`When does the ${what} open?`)).hits;
  expect(hit?.content).toBe(`The ${what} opens at seven.\nIts gate opens at six.`);
  await expect(memory.history).toHaveCount(2);
  await expect(memory.fact('Remembered again')).toHaveCount(0);

  await memory.send(memory.undo);
  await expect(memory.flash).toContainText('Undone. The memory has its former content.');
  await expect(memory.content).toHaveText(`The ${what} opens at nine.`);
});

test('a correction of a text that changed meanwhile is refused, and the page shows both', { tag: ['@phone', '@no-js'] }, async ({ memory, agent }) => {
  const what = unique('lighthouse');
  const { memory_id: id } = await agent.remember({ topic_raw: `lamp of the ${what}`, content: `The ${what} has a red lamp.` });
  await memory.open(id);
  await memory.unfoldCorrect.click();
  await agent.revise(id, `The ${what} has a white lamp.`);
  await memory.newContent.fill(`The ${what} has a green lamp.`);
  await memory.reason.fill('Idris saw it');
  await memory.send(memory.correct);
  await expect(memory.changed).toContainText('changed after you opened this page');
  await expect(memory.content).toHaveText(`The ${what} has a white lamp.`);
  await expect(memory.newContent).toHaveValue(`The ${what} has a green lamp.`);
  await memory.send(memory.correct);
  await expect(memory.content).toHaveText(`The ${what} has a green lamp.`);
});
