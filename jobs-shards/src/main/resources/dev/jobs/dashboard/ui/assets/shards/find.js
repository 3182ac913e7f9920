/** Looks for a job by its id in all shards. */

import { get } from '../api.js';
import { callOverAll } from '../divisions.js';

/** What was found, each with its shard. @param {string} jid */
export async function look(jid) {
  const { found, batch, partial, told } = await get(callOverAll('find'), { jid });
  return {
    found: found.map(({ shard, hit }) => ({ ...hit, division: shard })),
    batch: batch && { ...batch.batch, division: batch.shard },
    partial,
    told: told && { division: told },
  };
}
