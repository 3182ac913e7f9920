/** Pause, resume and clear queues. */

import { attempt, lostOf, offerUndo } from '../actions.js';
import { get, post } from '../api.js';
import { confirm } from '../dialog.js';
import { plural, t } from '../i18n.js';
import { go } from '../router.js';
import { toast } from '../toast.js';

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

/**
 * Clears a queue, or removes an empty one from the list. The confirmed promise must still hold then: otherwise the
 * server refuses, and the question is asked again.
 *
 * @param {{ name: string, size: number, broken: boolean, clearUndo: boolean }} queue
 */
export const clear = (queue) =>
  attempt(async () => {
    const answer = await clearAsPromised(queue);
    if (!answer) return;
    const { done, restorable, undo } = answer;
    const text = done || queue.size ? t('done.delete', plural('jobs', done)) : t('done.clear.empty', queue.name);
    if (undo) {
      offerUndo([text, ...lostOf(done, restorable)].join(' '), [undo]);
    } else {
      toast(text);
      go('queues'); // without jobs it left the list
    }
  });

async function clearAsPromised(first) {
  let queue = first;
  while (await sure(queue, queue !== first)) {
    try {
      return await post('queue/clear', { queue: queue.name, undoable: queue.clearUndo });
    } catch (error) {
      if (error.code !== 'changed') throw error;
    }
    const now = await get('queue', { name: queue.name });
    // If their number fits the trash before and after, they are too large for it, which shows only while they are read.
    const tooLarge = queue.size && queue.clearUndo && now.size && now.clearUndo;
    queue = { ...now, clearUndo: now.clearUndo && !tooLarge };
  }
  return null;
}

function sure({ name, size, broken, clearUndo }, again) {
  const jobs = plural('jobs', size);
  const texts = broken ? [t('confirm.clear.broken', name)] : [t(clearKey(size, clearUndo), jobs, name)];
  if (again) texts.unshift(t('confirm.clear.again'));
  return confirm({
    title: t('confirm.title', t('action.clear'), broken || !size ? name : jobs),
    text: texts.join(' '),
    verb: t('action.clear'),
    danger: true,
  });
}

function clearKey(size, clearUndo) {
  if (!size) return 'confirm.clear.empty';
  return clearUndo ? 'confirm.clear' : 'confirm.clear.final';
}
