import { unique } from '../support/agent';
import { expect, test } from '../support/test';

test('projects are created, get repositories and are linked', { tag: ['@phone', '@no-js'] }, async ({ projects, memories, agent }) => {
  const [one, two, repo] = ['harbour', 'orchard', 'core'].map((word) => unique(word).replace(' ', '-')) as [string, string, string];
  await projects.goto('/projects');
  await projects.create(two, 'The orchard');
  await projects.goto('/projects');
  await projects.create(one, '');
  await expect(projects.heading).toHaveText(one);
  await expect(projects.flash).toContainText(`Created the project ${one}.`);
  const id = new URL(projects.page.url()).pathname.split('/').pop() ?? '';
  await projects.createRepo(repo);
  await expect(projects.repos).toContainText([repo]);
  await projects.other.selectOption(two);
  await projects.send(projects.link);
  await expect(projects.linked).toContainText([two]);
  await projects.send(projects.linked.getByRole('button'));
  await expect(projects.linked).toHaveCount(0);

  await agent.remember({ topic_raw: unique('mooring'), content: 'The mooring fee is due in May.', scope: 'project', project_id: id });
  await memories.goto(`/memories?project=${id}`);
  await expect(memories.total).toHaveText('1 memory');
  await expect(memories.page.getByTestId('active-filters')).toContainText(`Project: ${one}`);
});

test('a refused project keeps its text and names the field', { tag: '@no-js' }, async ({ projects, gate }) => {
  gate.expect(400);
  await projects.goto('/projects');
  await projects.create('Not a slug', 'The harbour');
  await expect(projects.slug).toHaveAccessibleDescription(/1 to 63 characters of a-z/);
  await expect(projects.name).toHaveValue('The harbour');
});
