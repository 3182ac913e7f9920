/** Pause, resume and clear queues. */

import { attempt, offerUndo } from './actions.js';
import { post } from './api.js';
import { confirm } from './dialog.js';
import { plural, t } from './i18n.js';
import { toast } from './toast.js';

export const pause = (queue) =>
  attempt(async () => {
    await post('queue/pause', { queue });
    toast(t('done.pause', queue));
  });

export const resume = (queue) =>
  attempt(async () => {
    await post('queue/resume', { queue });
    toast(t('done.resume', queue));
  });

/** @param {{ name: string, size: number, clearUndo: boolean }} queue */
export async function clear({ name, size, clearUndo }) {
  const jobs = plural('jobs', size);
  const sure = await confirm({
    title: t('confirm.title', t('action.clear'), jobs),
    text: t(clearUndo ? 'confirm.clear' : 'confirm.clear.final', jobs, name),
    verb: t('action.clear'),
    danger: true,
  });
  if (!sure) return;
  await attempt(async () => {
    const { done, undo } = await post('queue/clear', { queue: name });
    offerUndo(t('done.delete', plural('jobs', done)), undo ? [undo] : []);
  });
}
