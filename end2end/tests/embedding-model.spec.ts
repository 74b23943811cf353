import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test('the model in use, its progress and the command that adds another one', { tag: ['@phone', '@no-js'] }, async ({ embeddingModel, agent }) => {
  await agent.remember({ topic_raw: unique('tea'), content: 'Vera likes tea.' });
  await embeddingModel.goto('/recall/model');
  await expect(embeddingModel.summary).toContainText('The server has one model');
  await expect(embeddingModel.models).toHaveCount(1);
  await expect(embeddingModel.models).toContainText('in use');
  await expect(embeddingModel.models).toContainText(/up to \d+ tokens of a text/);
  const progress = embeddingModel.progressOf(embeddingModel.models);
  await expect(progress).toContainText(['Memories', 'Sections', 'Profiles', 'Terms']);
  await expect(progress.first()).toContainText(/\d of [1-9]/);
  await expect(embeddingModel.commands).toContainText('remembrancer model add');
  await expect(embeddingModel.main.getByRole('button')).toHaveCount(0);
});

test.describe('a viewer', () => {
  test.use({ storageState: ({ viewerSession }, use) => use(viewerSession) });

  test('is refused the page of the embedding model', { tag: '@no-js' }, async ({ embeddingModel, gate }) => {
    gate.expect(403);
    await embeddingModel.goto('/recall/model');
    await expect(embeddingModel.error).toContainText('Your role does not allow this');
    await expect(embeddingModel.models).toHaveCount(0);
  });
});
