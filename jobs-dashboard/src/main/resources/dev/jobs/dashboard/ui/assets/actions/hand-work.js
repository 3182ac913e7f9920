/** Jobs enqueued by hand, and jobs moved to other queues. */

import { act, attempt, counted, offerAction, reasonText } from '../actions.js';
import { get, post } from '../api.js';
import { ask } from '../dialog.js';
import { errorText } from '../errors.js';
import { html } from '../html.js';
import { plural, t } from '../i18n.js';
import { toast } from '../toast.js';
import { AnotherJob, NewJob } from './job-form.js';
import { QueueForm } from './queue-form.js';

const MOST_KEYS = 200;

/** Asks for a new job, and enqueues it. @param {string} [queue] that is suggested */
export const enqueueByHand = (queue) =>
  attempt(async () => tellStored(await ask(t('enqueue.title'), (done) => html`<${NewJob} queue=${queue} onDone=${done} />`, true)));

/**
 * Asks for other arguments of a job, and enqueues another one with them.
 *
 * @param {{ place: string, queue?: string, key: string, name: string }} job
 * @returns {Promise<boolean>} whether it was enqueued
 */
export const enqueueAgain = (job) =>
  attempt(async () => {
    const { place, queue, key } = job;
    const whole = await get('job', { place, queue: place === 'queue' ? queue : undefined, key, full: true });
    if (!whole.job) throw { code: 'gone', message: '' };
    if (whole.argumentsLeft) throw { code: 'not-editable', message: '' };
    const form = (done) => html`<${AnotherJob} of=${whole} onDone=${done} />`;
    return tellStored(await ask(t('again.title', job.name), form, true));
  });

/**
 * @param {{ jid: string, place: string, queue: string, undo: string | null, doubt: string | null, name: string } | null} stored
 *     doubt: why it may not be stored, while the job before it is in the trash
 */
function tellStored(stored) {
  if (!stored) return false;
  const { name, doubt } = stored;
  offerAction(t(doubt ? 'done.enqueue.doubt' : 'done.enqueue', name), () => takeBack(stored));
  return true;
}

const takeBack = ({ jid, place, queue, undo, doubt }) =>
  attempt(async () => {
    const { done } = await post('enqueue/undo', { jid, place, queue, undo });
    const taken = doubt ? 'done.enqueue.doubt.undo' : 'done.enqueue.taken';
    toast(t(done ? 'done.enqueue.undo' : taken));
  });

/**
 * Moves jobs to another queue, for which it asks.
 *
 * @param {import('../actions.js').Target} target
 * @returns {Promise<boolean>} whether all were moved
 */
export const move = (target) =>
  attempt(async () => {
    const jobs = await counted(target);
    const title = t('confirm.title', t('action.move'), jobs);
    const text = t(target.place === 'queue' ? 'confirm.move' : 'confirm.move.later', jobs);
    const final = target.keys ? '' : t('confirm.move.final');
    const form = (done) => html`<${QueueForm} text=${`${text} ${final}`} except=${target.queue} onDone=${done} />`;
    const to = await ask(title, form);
    return to ? tellMoved(target, to, await moveAll(inOrder(target), to)) : false;
  });

/** The first ones of a queue are moved first, by their positions, with which keys begin there. */
const inOrder = (target) =>
  target.place === 'queue' && target.keys
    ? { ...target, keys: [...target.keys].sort((one, other) => Number.parseInt(one) - Number.parseInt(other)) }
    : target;

/** Performs an action on jobs, also one of those here. @param {string} action @param {import('../actions.js').Target} target @returns {Promise<boolean>} */
export const perform = (action, target) => (action === 'move' ? move(target) : act(action, target));

/**
 * @param {import('../actions.js').Target} target
 * @param {string} to
 * @returns {Promise<{ done: number, gone: number, kept: number, reasons: Set<string>, back: { to: string, keys: string[] }[],
 *     error: any }>}
 */
async function moveAll({ keys, count, ...target }, to) {
  const sum = { done: 0, gone: 0, kept: 0, reasons: new Set(), back: [], error: null };
  const send = async (more) => {
    const answer = await post('jobs/move', { ...target, to, ...more });
    for (const what of ['done', 'gone', 'kept']) sum[what] += answer[what];
    for (const reason of answer.reasons) sum.reasons.add(reasonText(reason));
    sum.back.push(...answer.back);
    return answer;
  };
  try {
    if (keys) {
      for (let left = keys; left.length; ) {
        const answer = await send({ keys: left.slice(0, MOST_KEYS) });
        left = [...answer.left, ...left.slice(MOST_KEYS)];
      }
    } else {
      let cursor;
      do {
        ({ cursor } = await send({ cursor }));
      } while (cursor);
    }
  } catch (error) {
    sum.error = error;
  }
  return sum;
}

function tellMoved(target, to, { done, gone, kept, reasons, back, error }) {
  if (error && !(done + gone + kept)) throw error;
  const sentences = [t('done.move', plural('jobs', done), to)];
  if (gone) sentences.push(t('done.gone', plural('jobs', gone)));
  if (kept) sentences.push(t('done.kept', plural('jobs', kept)), ...reasons);
  if (error) sentences.push(t('done.rest'), errorText(error));
  const undo = done && back.length ? () => moveBack(target, to, back) : undefined;
  offerAction(sentences.join(' '), undo);
  return !error;
}

/** Of a queue, they come back to its end. */
const moveBack = ({ place }, from, back) =>
  attempt(async () => {
    let done = 0;
    for (const { to, keys } of back) {
      if (to === from) continue; // it was there before
      const sum = await moveAll({ place, queue: place === 'queue' ? from : undefined, keys }, to);
      done += sum.done;
      if (sum.error) throw sum.error;
    }
    toast(t('done.move.undo', plural('jobs', done)));
  });
