import { unique } from '../support/agent';
import { another, expect, test } from '../support/test';
import { MemoriesPage } from '../pages/memories';

test('a view can be saved, used, renamed and deleted', { tag: ['@phone', '@no-js'] }, async ({ memories, agent }) => {
  const [topic, name, later] = [unique('mooring'), unique('moorings'), unique('berths')];
  await agent.remember({ topic_raw: topic, content: 'The mooring is paid for until May.', kind: 'decision' });
  await memories.goto(agent.memories({ topic, kind: 'decision' }));
  await memories.views.unfoldSave.click();
  await memories.views.name.fill(name);
  await memories.send(memories.views.save);
  await expect(memories.flash).toHaveText(`Saved the view “${name}”.`);
  await expect(memories.views.link(name)).toHaveAttribute('aria-current', 'true');
  await expect(memories.views.unfoldSave).toHaveCount(0);

  await memories.goto('/memories');
  await expect(memories.views.link(name)).not.toHaveAttribute('aria-current');
  await memories.views.link(name).click();
  await expect.poll(() => memories.query()).toEqual({ agent: agent.id, topic, kind: 'decision' });
  await expect(memories.topics).toHaveText([topic]);

  await memories.views.unfoldManage.click();
  await memories.views.field(name).fill(later);
  await memories.send(memories.views.rename(name));
  await expect(memories.flash).toHaveText(`Renamed the view to “${later}”.`);
  await expect(memories.views.link(name)).toHaveCount(0);
  await memories.views.unfoldManage.click();
  await memories.send(memories.views.delete(later));
  await expect(memories.flash).toContainText('The view was deleted.');
  await expect(memories.views.link(later)).toHaveCount(0);
  await expect(memories.topics).toHaveText([topic]);
});

test('a name that is taken is rejected and can be changed', { tag: '@no-js' }, async ({ memories }) => {
  const name = unique('taken');
  const save = async () => {
    await memories.views.unfoldSave.click();
    await memories.views.name.fill(name);
    await memories.send(memories.views.save);
  };
  await memories.goto('/memories?kind=artifact');
  await save();
  await memories.goto('/memories?kind=task_hint');
  await save();
  await expect(memories.views.name).toBeVisible();
  await expect(memories.views.name).toHaveValue(name);
  await expect(memories.views.name).toHaveAccessibleDescription('Is already the name of one of your views.');
  await memories.views.unfoldManage.click();
  await memories.send(memories.views.delete(name));
  await expect(memories.views.link(name)).toHaveCount(0);
});

test('every page with filters keeps views', { tag: '@no-js' }, async ({ memories }) => {
  const agent = '00000000-0000-7000-8000-000000000000';
  const paths = [
    `/recall/log?agent=${agent}`, `/recall/contexts?agent=${agent}`, `/recall?agent=${agent}`, `/quality?agent=${agent}`,
    `/inbox?agent=${agent}`, `/inbox/suggestions?agent=${agent}`, '/vocabulary?status=merged', '/vocabulary/terms?q=zzz',
    '/knowledge?q=zzz', '/people?user=zzz', `/sources?agent=${agent}`, `/events?agent=${agent}`, '/audit?actor=zzz', '/usage?model=zzz',
  ];
  for (const path of paths) {
    await memories.goto(path);
    await expect(memories.views.unfoldSave, path).toBeVisible();
    await memories.goto(path.slice(0, path.indexOf('?')));
    await expect(memories.views.unfoldSave, path).toHaveCount(0);
  }
});

test('views belong to one operator and one page', async ({ memories, recalls, browser, gate, viewerSession }) => {
  const name = unique('mine');
  await memories.goto('/memories?kind=project');
  await memories.views.unfoldSave.click();
  await memories.views.name.fill(name);
  await memories.send(memories.views.save);
  await recalls.goto('/recall/log?zero_hit=true');
  await expect(memories.views.link(name)).toHaveCount(0);
  const una = new MemoriesPage((await another(browser, gate, { storageState: viewerSession })).page, true);
  await una.goto('/memories?kind=project');
  await expect(una.views.unfoldSave).toBeVisible();
  await expect(una.views.link(name)).toHaveCount(0);

  // A reviewer pins it for everybody, and takes it back.
  await memories.goto('/memories');
  await memories.views.unfoldManage.click();
  await memories.send(memories.views.share('Pin', name));
  await una.goto('/memories');
  await expect(una.views.link(name)).toHaveAttribute('title', /^Shared by /);
  await una.views.unfoldManage.click();
  await expect(una.views.delete(name)).toHaveCount(0);
  await expect(una.views.share('Make private', name)).toHaveCount(0);
  await memories.views.unfoldManage.click();
  await memories.send(memories.views.share('Make private', name));
  await una.goto('/memories');
  await expect(una.views.link(name)).toHaveCount(0);
  await memories.views.unfoldManage.click();
  await memories.send(memories.views.delete(name));
});
