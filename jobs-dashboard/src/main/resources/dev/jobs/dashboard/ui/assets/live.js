/** The server's pushes: the present numbers, and those of the last minutes. */

import { get, session } from './api.js';
import { store, useStore } from './store.js';

const RETRY_MILLIS = 10_000;
/** The server sends something every two seconds. */
const SILENCE_MILLIS = 10_000;
/** After how long it tries a stream again that something between holds back. */
const HELD_BACK_MILLIS = 300_000;
const KEPT_MILLIS = 300_000;
const TOUCHES = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focus'];

/**
 * @typedef {{ at: number, processed: number, failed: number, enqueued: number, scheduled: number, retries: number, dead: number,
 *     busy: number, processes: number, processedRate: number | null, failedRate: number | null, queues: object[] }} Sample
 */

/** @type {{ get: () => Sample | null, set: (sample: Sample) => void }} */
export const live = store(null);

/** Points of the moving chart, oldest first: [at, processed/s, failed/s, busy, enqueued]. */
export const recent = store([]);

/**
 * `connecting`, `live`, `polling`: there is no stream, so the numbers are asked for; `lost`: the application can't be
 * reached; `link`: the browser has to open the link in the application's log first; `down`: it can't reach Redis;
 * `refused`: Redis answers nothing useful; `resting`: nobody has touched the page for long.
 */
export const connection = store('connecting');

/** @type {{ readyState: number, close(): void } | null} */
let source = null;
let clockOffset = 0;
let heldBackUntil = 0;

/** The time by the server's clock. */
export const serverNow = () => Date.now() + clockOffset;

/** @param {Sample} sample */
function accept(sample, state = 'live') {
  clockOffset = sample.at - Date.now();
  live.set(sample);
  connection.set(state);
  if (sample.processedRate !== null) {
    addPoints([[sample.at, sample.processedRate, sample.failedRate, sample.busy, sample.enqueued]]);
  }
}

/** Adds points that are newer or older than the existing ones. Outdated points are removed: a page may have been hidden for hours. */
export function addPoints(points) {
  const byTime = new Map([...recent.get(), ...points].map((point) => [point[0], point]));
  const sorted = [...byTime.values()].sort((a, b) => a[0] - b[0]);
  recent.set(sorted.filter(([at]) => at > sorted.at(-1)[0] - KEPT_MILLIS));
}

/**
 * A value that changes periodically, and whenever one of the numbers does: shown data are to be reloaded then.
 *
 * @param {number} millis
 * @param {string} [field] of the numbers, such as `retries`
 */
export function usePulse(millis, field) {
  const numbers = useStore(live);
  return numbers && `${Math.floor(numbers.at / millis)} ${numbers[field] ?? ''}`;
}

function open() {
  if (Date.now() < heldBackUntil) {
    source = { readyState: EventSource.CLOSED, close() {} };
    retry(source);
    return;
  }
  const opened = new EventSource('api/live');
  let heard = false;
  let watching = setTimeout(onSilence, SILENCE_MILLIS);
  const listen = (name, take) =>
    opened.addEventListener(name, (event) => {
      heard = true;
      clearTimeout(watching);
      watching = setTimeout(onSilence, SILENCE_MILLIS);
      take(JSON.parse(event.data));
    });
  /** Without an error: a filter or a proxy may hold everything back until the stream ends, or have forgotten it. */
  function onSilence() {
    if (source !== opened || opened.readyState === EventSource.CLOSED) return;
    opened.close();
    retry(opened, !heard);
  }
  source = opened;
  listen('live', accept);
  listen('down', (trouble) => connection.set(troubleOf(trouble)));
  opened.addEventListener('error', onError);
}

const troubleOf = ({ code = 'redis' }) => (code === 'redis' ? 'down' : 'refused');

function onError() {
  // The browser reconnects by itself, but gives up after an answer that is not a stream.
  if (source.readyState === EventSource.CLOSED) setTimeout(retry, RETRY_MILLIS, source);
  else connection.set('lost');
}

/**
 * Polls once, then opens another stream, unless the page is hidden by then: showing it opens a stream. As long as streams
 * are held back, it polls again and again: each would be counted by the server until its end.
 *
 * @param {{ readyState: number }} closed
 * @param {boolean} [silent] whether nothing came of a stream that was open, although the server answers other requests
 */
async function retry(closed, silent = false) {
  const needed = () => source === closed && !document.hidden && !isResting();
  if (!needed()) return;
  try {
    const { live: sample } = await get('overview', { days: 1 });
    if (silent) heldBackUntil = Date.now() + HELD_BACK_MILLIS;
    if (needed()) accept(sample, 'polling'); // there may be too many viewers for another stream
  } catch (error) {
    if (needed()) connection.set(stateAfter(error));
  }
  if (!needed()) return;
  if (Date.now() < heldBackUntil) setTimeout(retry, RETRY_MILLIS, closed);
  else open();
}

function stateAfter(error) {
  if (error.code === 'link') return 'link';
  return error.code?.startsWith('redis') ? troubleOf(error) : 'lost';
}

/** Listens while the page is visible: a browser has few connections to one server. */
export function startLive() {
  open();
  document.addEventListener('visibilitychange', () => {
    source.close();
    if (!document.hidden && !isResting()) open();
  });
  const { idle } = session.get();
  if (idle) restAfter(idle * 1000);
}

const isResting = () => connection.get() === 'resting';

/**
 * Listens no more once nobody has touched the page for that long: what the page asks for by itself keeps the user's session
 * alive. A touch wakes it.
 *
 * @param {number} millis
 */
export function restAfter(millis) {
  let touched = Date.now();
  const rest = () => {
    const left = touched + millis - Date.now();
    if (left > 0) {
      setTimeout(rest, left);
      return;
    }
    source.close();
    connection.set('resting');
  };
  const touch = () => {
    touched = Date.now();
    if (!isResting()) return;
    connection.set('connecting');
    if (!document.hidden) open();
    setTimeout(rest, millis);
  };
  TOUCHES.forEach((name) => addEventListener(name, touch, { passive: true }));
  setTimeout(rest, millis);
}
