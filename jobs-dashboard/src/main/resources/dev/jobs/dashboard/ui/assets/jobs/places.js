/** Where jobs can be: names and addresses. */

import { t } from '../i18n.js';
import { link } from '../router.js';

/**
 * @typedef {{ place: string, queue?: string | null, key?: string, jid?: string | null, name?: string | null,
 *     limit?: string | null, of?: string | null, process?: string, thread?: string }} Whereabouts limit, of: of a parked job, its
 *     limit and its key there
 */

/** The address of the page of a job. @param {Whereabouts} job */
export function jobLink({ place, queue, key, jid, limit, of, process, thread }) {
  if (place === 'running') return link('job', { place, jid, process, thread });
  if (place === 'parked') return link('job', { place, limit, of: of || undefined, key, jid });
  return link('job', { place, queue: place === 'queue' ? queue : undefined, key, jid });
}

/** @param {Whereabouts} job */
export const placeName = ({ place, queue, limit }) =>
  place === 'queue' ? t('place.queue', queue) : t(`place.${place}`, limit);

/** The page that lists a place. @param {Whereabouts} job */
export function placeLink({ place, queue, limit, of }) {
  if (place === 'queue') return link('queue', { name: queue });
  if (place === 'parked') return link('limit', { name: limit, key: of ?? '' });
  return link(place === 'running' ? 'busy' : place);
}

/** The name of a job; one without a name is malformed. */
export const jobName = ({ name, malformed }) => name ?? t(malformed ? 'job.malformed' : 'job.nameless');
