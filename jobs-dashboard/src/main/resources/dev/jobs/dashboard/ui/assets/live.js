/** What the server pushes: the numbers of now, and the last minutes of them. */

import { get } from './api.js';
import { store } from './store.js';

const RETRY_MILLIS = 10_000;
const MOST_POINTS = 150;

/**
 * @typedef {{ at: number, processed: number, failed: number, enqueued: number, scheduled: number, retries: number, dead: number,
 *     busy: number, processes: number, processedRate: number | null, failedRate: number | null, queues: object[] }} Sample
 */

/** @type {{ get: () => Sample | null, set: (sample: Sample) => void }} */
export const live = store(null);

/** Points of the moving chart, oldest first: [at, processed/s, failed/s, busy, enqueued]. */
export const recent = store([]);

/** `connecting`, `live`, `lost`: the application isn't reached; `down`: it doesn't reach Redis. */
export const connection = store('connecting');

let source = null;
let clockOffset = 0;

/** The time by the server's clock. */
export const serverNow = () => Date.now() + clockOffset;

/** @param {Sample} sample */
function accept(sample) {
  clockOffset = sample.at - Date.now();
  live.set(sample);
  connection.set('live');
  if (sample.processedRate !== null) {
    addPoints([[sample.at, sample.processedRate, sample.failedRate, sample.busy, sample.enqueued]]);
  }
}

/** Adds points that are newer or older than those that are there. */
export function addPoints(points) {
  const byTime = new Map([...recent.get(), ...points].map((point) => [point[0], point]));
  recent.set([...byTime.values()].sort((a, b) => a[0] - b[0]).slice(-MOST_POINTS));
}

function open() {
  source = new EventSource('api/live');
  source.addEventListener('live', (event) => accept(JSON.parse(event.data)));
  source.addEventListener('down', () => connection.set('down'));
  source.addEventListener('error', onError);
}

function onError() {
  // The browser connects anew by itself, but after an answer that is no stream it gives up.
  if (source.readyState === EventSource.CLOSED) setTimeout(retry, RETRY_MILLIS);
  else connection.set('lost');
}

async function retry() {
  if (source?.readyState !== EventSource.CLOSED) return;
  try {
    const { live: sample } = await get('overview', { days: 1 });
    accept(sample); // there may be too many viewers for a stream of one's own
  } catch (error) {
    connection.set(error.code === 'redis' ? 'down' : 'lost');
  }
  if (!document.hidden) open();
}

/** Listens as long as the page can be seen: a browser has few connections to one server. */
export function startLive() {
  open();
  document.addEventListener('visibilitychange', () => {
    source.close();
    if (!document.hidden) open();
  });
}
