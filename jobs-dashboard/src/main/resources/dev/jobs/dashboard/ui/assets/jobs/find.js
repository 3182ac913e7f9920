/** Looks for jobs by their ids. */

import { get } from '../api.js';
import { t } from '../i18n.js';
import { go, link } from '../router.js';
import { callOverAll, inShard, isOverAll, presentShard, shards } from '../shards/shards.js';
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
  if (found.length) open(found[0].shard, jobLink({ ...found[0], jid }));
  else if (batch?.job) open(batch.shard, link('batch', { id: batch.id, job: batch.job.index }));
  else if (told) open(told.shard, jobLink({ place: 'ended', jid }));
  else toast(t(partial ? 'find.none.partial' : 'find.none'));
  return null;
}

/** With shards in all of them, of whichever the page is: a person who has an id doesn't know the shard. */
async function look(jid) {
  if (!shards().length || !isOurs()) {
    const answer = await get('find', { jid });
    return { ...answer, told: answer.told && {} };
  }
  const { found, batch, partial, told } = await get(callOverAll('find'), { jid });
  return {
    found: found.map(({ shard, hit }) => ({ ...hit, shard })),
    batch: batch && { ...batch.batch, shard: batch.shard },
    partial,
    told: told && { shard: told },
  };
}

/** Whether the page shows a shard, or all of them, and not another installation. */
const isOurs = () => presentShard() !== undefined || isOverAll();

/** Numbers and token belong to one shard: another one's page is loaded. */
function open(shard, page) {
  if (!shard || shard.name === presentShard()?.name) go(page);
  else location.assign(inShard(shard, page));
}

/** The address of the page of a job that was found. */
export const foundLink = (found) => (found.shard ? inShard(found.shard, jobLink(found)) : jobLink(found));
