/** Looks for jobs by their ids. */

import { get } from './api.js';
import { t } from './i18n.js';
import { jobLink } from './places.js';
import { go, link } from './router.js';
import { toast } from './toast.js';

/**
 * Opens the page of the job with an id, wherever the job is. Says so if there is none.
 *
 * @param {string} jid
 * @returns {Promise<object[] | null>} its places if it is in several; then no page is opened
 */
export async function openJob(jid) {
  const { found, batch, partial, told } = await get('find', { jid });
  if (found.length > 1) return found;
  if (found.length) go(jobLink({ ...found[0], jid }));
  else if (batch?.job) go(link('batch', { id: batch.id, job: batch.job.index }));
  else if (told) go(jobLink({ place: 'ended', jid }));
  else toast(t(partial ? 'find.none.partial' : 'find.none'));
  return null;
}
