/** Looks for jobs by their ids. */

import { get } from '../api.js';
import { divisions, inDivision, isOverAll, presentDivision, scriptOverAll } from '../divisions.js';
import { t } from '../i18n.js';
import { go, link } from '../router.js';
import { toast } from '../toast.js';
import { jobLink } from './places.js';

/**
 * Opens the page of the job with an id, wherever the job is. Says so if there is none.
 *
 * @param {string} jid
 * @returns {Promise<object[] | null>} its places if it is in several; then no page is opened
 */
export async function openJob(jid) {
  const { found, batch, partial, told } = await look(jid);
  if (found.length > 1) return found;
  if (found.length) open(found[0].division, jobLink({ ...found[0], jid }));
  else if (batch?.job) open(batch.division, link('batch', { id: batch.id, job: batch.job.index }));
  else if (told) open(told.division, jobLink({ place: 'ended', jid }));
  else toast(t(partial ? 'find.none.partial' : 'find.none'));
  return null;
}

/** In all divisions, of whichever the page is: a person who has an id doesn't know which one has the job. */
async function look(jid) {
  if (divisions().length && isOurs()) return (await scriptOverAll('find')).look(jid);
  const answer = await get('find', { jid });
  return { ...answer, told: answer.told && {} };
}

/** Whether the page shows a division, or all of them, and not another installation. */
const isOurs = () => presentDivision() !== undefined || isOverAll();

/** Numbers and token belong to one installation: another one's page is loaded. */
function open(division, page) {
  if (!division || division.name === presentDivision()?.name) go(page);
  else location.assign(inDivision(division, page));
}

/** The address of the page of a job that was found. */
export const foundLink = (found) => (found.division ? inDivision(found.division, jobLink(found)) : jobLink(found));
