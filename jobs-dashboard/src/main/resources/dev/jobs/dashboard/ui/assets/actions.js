/** What can be done with jobs: asks first where many are touched, tells what came of it, offers the way back. */

import { get, mayAct, post } from './api.js';
import { askTime, confirm } from './dialog.js';
import { errorText } from './errors.js';
import { plural, t } from './i18n.js';
import { serverNow } from './live.js';
import { toast } from './toast.js';

const MOST_KEYS = 200;
const HOUR_MILLIS = 3_600_000;

const BY_PLACE = {
  queue: ['delete'],
  scheduled: ['run', 'reschedule', 'kill', 'delete'],
  retries: ['run', 'reschedule', 'kill', 'delete'],
  dead: ['run', 'delete'],
};

/** What the user may do with the jobs of a place. @param {string} place @returns {string[]} */
export const actionsOf = (place) => (mayAct() ? (BY_PLACE[place] ?? []) : []);

export const ICONS = { run: 'run', reschedule: 'scheduled', kill: 'dead', delete: 'trash' };

/** What an action is called: a dead job isn't run but revived. */
export const actionName = (action, place) => t(`action.${wordFor(action, place)}`);

const wordFor = (action, place) => (action === 'run' && place === 'dead' ? 'revive' : action);

/**
 * @typedef {{ place: string, queue?: string, keys: string[] }} Chosen jobs that were picked
 * @typedef {{ place: string, matching: Record<string, string> }} Matching all jobs that the filters let through
 */

/**
 * Does something with jobs. A single one is only asked for before it dies: run it was meant to be, and deleted it can be brought back.
 *
 * @param {string} action
 * @param {Chosen | Matching} target
 * @returns {Promise<boolean>} whether it was done
 */
export async function act(action, target) {
  if (action === 'reschedule') return reschedule(target);
  return attempt(async () => {
    const sure = (target.keys?.length === 1 && action !== 'kill') || (await sureAbout(action, target));
    if (!sure) return false;
    tell(action, target.place, await postAll(`jobs/${action}`, target));
    return true;
  });
}

async function sureAbout(action, target) {
  const { count, partial } = target.keys
    ? { count: target.keys.length }
    : await get('count', { place: target.place, ...target.matching });
  const jobs = plural(partial ? 'jobs.least' : 'jobs', count);
  const name = actionName(action, target.place);
  return confirm({
    title: t('confirm.title', name, jobs),
    text: t(`confirm.${wordFor(action, target.place)}`, jobs),
    verb: name,
    danger: action === 'delete' || action === 'kill',
  });
}

async function reschedule(target) {
  const jobs = plural('jobs', target.keys.length);
  const at = await askTime(
    t('confirm.title', t('action.reschedule'), jobs),
    t('confirm.reschedule', jobs),
    serverNow() + HOUR_MILLIS,
  );
  if (at === null) return false;
  return attempt(async () => {
    tell('reschedule', target.place, await postAll('jobs/reschedule', { ...target, at }));
    return true;
  });
}

/** Does it part by part, as the server bounds what one call does. */
async function postAll(path, body) {
  const sum = { done: 0, gone: 0, kept: 0, undo: [], reasons: [] };
  for (const part of parts(body)) {
    let answer = {};
    do {
      answer = await post(path, { ...part, ...(answer.cursor && { cursor: answer.cursor, undo: answer.undo }) });
      for (const what of ['done', 'gone', 'kept']) sum[what] += answer[what] ?? 0;
      sum.reasons.push(...(answer.reasons ?? []));
    } while (answer.cursor);
    if (answer.undo) sum.undo.push(answer.undo);
  }
  return sum;
}

function parts({ keys, ...rest }) {
  if (!keys) return [rest];
  return Array.from({ length: Math.ceil(keys.length / MOST_KEYS) }, (_, i) => ({
    ...rest,
    keys: keys.slice(i * MOST_KEYS, (i + 1) * MOST_KEYS),
  }));
}

function tell(action, place, { done, gone, kept, undo, reasons }) {
  const sentences = [t(`done.${wordFor(action, place)}`, plural('jobs', done))];
  if (gone) sentences.push(t('done.gone', plural('jobs', gone)));
  if (kept) sentences.push(t('done.kept', plural('jobs', kept)), ...new Set(reasons));
  offerUndo(sentences.join(' '), undo);
}

/** @param {string} text @param {string[]} batches of the trash, none if there is no way back */
export function offerUndo(text, batches) {
  toast(text, batches.length ? { label: t('action.undo'), run: () => undo(batches) } : undefined);
}

function undo(batches) {
  return attempt(async () => {
    let done = 0;
    for (const batch of batches) done += (await postAll('undo', { batch })).done;
    toast(t('done.restore', plural('jobs', done)));
  });
}

/** Runs something that may fail and then says so. */
export async function attempt(something) {
  try {
    return await something();
  } catch (error) {
    toast(`${errorText(error)} ${error.message}`);
    return false;
  }
}
