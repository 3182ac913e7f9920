/** Actions on jobs: ask first if many jobs are affected, report the result, offer to undo. */

import { get, mayAct, post } from './api.js';
import { askTime, confirm } from './dialog.js';
import { errorText, wantsReload } from './errors.js';
import { knows, plural, t } from './i18n.js';
import { serverNow } from './live.js';
import { toast } from './toast.js';

const MOST_KEYS = 200;
const HOUR_MILLIS = 3_600_000;

const BY_PLACE = {
  queue: ['move', 'delete'],
  scheduled: ['run', 'reschedule', 'move', 'kill', 'delete'],
  retries: ['run', 'reschedule', 'move', 'kill', 'delete'],
  dead: ['run', 'delete'],
  parked: ['delete'],
};

/** What the user may do with the jobs of a place. @param {string} place @returns {string[]} */
export const actionsOf = (place) => (mayAct() ? (BY_PLACE[place] ?? []) : []);

const ICONS = { run: 'run', reschedule: 'scheduled', kill: 'dead', delete: 'trash' };

/** Those of them that each row has a button for, with its icon. @param {string} place @returns {[string, string][]} */
export const rowActionsOf = (place) =>
  actionsOf(place)
    .filter((action) => action in ICONS)
    .map((action) => [action, ICONS[action]]);

/** The name of an action: a dead job is revived rather than run. */
export const actionName = (action, place) => t(`action.${wordFor(action, place)}`);

const wordFor = (action, place) => (action === 'run' && place === 'dead' ? 'revive' : action);

/**
 * Jobs of a place: selected ones, or all that match the filters. `count` is their number if it is known; `limit` and `of` are
 * the limit and the key of parked ones.
 *
 * @typedef {{ place: string, queue?: string, limit?: string, of?: string, keys?: string[], matching?: Record<string, string>,
 *     count?: number }} Target
 */

/**
 * Performs an action on jobs. For a single job, only killing asks for confirmation: running it is what it waits for,
 * and deleting it can be undone.
 *
 * @param {string} action
 * @param {Target} target
 * @returns {Promise<boolean>} whether it was done
 */
export async function act(action, target) {
  if (action === 'reschedule') return reschedule(target);
  return attempt(async () => {
    const sure = (target.keys?.length === 1 && action !== 'kill') || (await sureAbout(action, target));
    if (!sure) return false;
    return tell(action, target.place, await postAll(`jobs/${action}`, target));
  });
}

/** The number of affected jobs, as a text. @param {Target} target */
export async function counted({ place, keys, matching, count: known }) {
  if (keys || known !== undefined) return plural('jobs', keys?.length ?? known);
  const { count, partial } = await get('count', { place, ...matching });
  return plural(partial ? 'jobs.least' : 'jobs', count);
}

async function sureAbout(action, target) {
  const jobs = await counted(target);
  const name = actionName(action, target.place);
  return confirm({
    title: t('confirm.title', name, jobs),
    text: t(`confirm.${wordFor(action, target.place)}`, jobs),
    verb: name,
    danger: action === 'delete' || action === 'kill',
  });
}

const reschedule = (target) =>
  attempt(async () => {
    const jobs = await counted(target);
    const at = await askTime(
      t('confirm.title', t('action.reschedule'), jobs),
      t('confirm.reschedule', jobs),
      serverNow() + HOUR_MILLIS,
    );
    if (at === null) return false;
    return tell('reschedule', target.place, await postAll('jobs/reschedule', { ...target, at }));
  });

/**
 * Performs the action in parts, since the server bounds the work of one call. Parts done before a failure stay done;
 * the sum reports both.
 *
 * @returns {Promise<{ done: number, gone: number, kept: number, restorable: number, undo: Set<string>, reasons: Set<string>,
 *     error: Error | null }>}
 */
async function postAll(path, body) {
  const sum = { done: 0, gone: 0, kept: 0, restorable: 0, undo: new Set(), reasons: new Set(), error: null };
  try {
    for (const part of parts(body)) {
      let answer = {};
      do {
        answer = await post(path, { ...part, ...(answer.cursor && { cursor: answer.cursor, undo: answer.undo }) });
        for (const what of ['done', 'gone', 'kept', 'restorable']) sum[what] += answer[what] ?? 0;
        for (const reason of answer.reasons ?? []) sum.reasons.add(reasonText(reason));
        if (answer.undo) sum.undo.add(answer.undo);
      } while (answer.cursor);
    }
  } catch (error) {
    sum.error = error;
  }
  return sum;
}

/** @param {{ code: string, message: string }} reason in English if there is no text for its code */
export const reasonText = ({ code, message }) => (knows(`reason.${code}`) ? t(`reason.${code}`) : message);

function parts({ keys, ...rest }) {
  if (!keys) return [rest];
  return Array.from({ length: Math.ceil(keys.length / MOST_KEYS) }, (_, i) => ({
    ...rest,
    keys: keys.slice(i * MOST_KEYS, (i + 1) * MOST_KEYS),
  }));
}

/** @returns {boolean} whether everything possible was done */
function tell(action, place, { done, gone, kept, restorable, undo, reasons, error }) {
  if (error && !(done + gone + kept)) throw error;
  const sentences = [t(`done.${wordFor(action, place)}`, plural('jobs', done))];
  if (action === 'delete') sentences.push(...lostOf(done, restorable));
  if (gone) sentences.push(t('done.gone', plural('jobs', gone)));
  if (kept) sentences.push(t('done.kept', plural('jobs', kept)), ...reasons);
  if (error) sentences.push(t('done.rest'), errorText(error));
  offerUndo(sentences.join(' '), [...undo]);
  return !error;
}

/** The message about deleted jobs for which the trash had no room. @returns {string[]} */
export const lostOf = (done, restorable) =>
  restorable < done ? [t('done.final', plural('jobs', done - restorable))] : [];

/** @param {string} text @param {string[]} batches of the trash, none if it can't be undone */
export function offerUndo(text, batches) {
  offerAction(text, batches.length ? () => undo(batches) : undefined);
}

/** Says what was done. @param {string} text @param {() => void} [run] undoes it */
export const offerAction = (text, run) => toast(text, run && { label: t('action.undo'), run });

/** Restores jobs that were deleted together. @param {string[]} batches of the trash */
export const undo = (batches) =>
  attempt(async () => {
    let done = 0;
    for (const batch of batches) {
      const sum = await postAll('undo', { batch });
      done += sum.done;
      if (sum.error && !done) throw sum.error;
      if (sum.error) return offerUndo(`${t('done.restore', plural('jobs', done))} ${errorText(sum.error)}`, batches);
    }
    toast(t('done.restore', plural('jobs', done)));
  });

/** Runs something that may fail, and reports the failure. */
export async function attempt(something) {
  try {
    return await something();
  } catch (error) {
    const reload = { label: t('action.reload'), run: () => location.reload() };
    toast(errorText(error), wantsReload(error) ? reload : undefined);
    return false;
  }
}
