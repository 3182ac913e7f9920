/**
 * The user's location: a page and its query, as in `queue?name=low`. All pages are one level deep, so relative
 * addresses work on each of them, under any context path and behind any prefix.
 */

import { store, useStore } from './store.js';

/** The folder of the pages, with a slash at its end. */
const HOME = new URL('.', location.href).pathname;

/** The browser allows few notes in the history. */
const SETTLE_MILLIS = 150;
/** How long a page may take until it is as long as it was. */
const RESTORE_MILLIS = 5_000;
/** A user who does any of these wants to be elsewhere. */
const HANDS = ['wheel', 'touchmove', 'pointerdown', 'keydown'];

/**
 * @typedef {{ page: string, query: Record<string, string> }} Location the overview is the page ''
 */

/** @returns {Location} */
const read = () => ({
  page: location.pathname.slice(HOME.length),
  query: Object.fromEntries(new URLSearchParams(location.search)),
});

const present = store(read());

/** @returns {Location} */
export const useLocation = () => useStore(present);

/** The page on which the user is. */
export const presentPage = () => present.get().page;

/** @param {Record<string, unknown>} values undefined and null ones are left out; an empty text may mean something */
export function search(values) {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** The address of a page. */
export const link = (page, query = {}) => `${page || './'}${search(query)}`;

/** @param {string} target made by {@link link} */
export function go(target) {
  keepScroll();
  endRestoring();
  history.pushState(null, '', target);
  present.set(read());
  scrollTo(0, 0);
}

/** Shows another part of the current page, as by {@link refine}; going back leads to the present one. */
export function turn(changes) {
  const { page, query } = present.get();
  go(link(page, { ...query, ...changes }));
}

/**
 * Changes the query of the current page without a new entry in the browser's history.
 *
 * @param {Record<string, string | number | null>} changes null removes
 */
export function refine(changes) {
  const { page, query } = present.get();
  history.replaceState(history.state, '', link(page, { ...query, ...changes }));
  present.set(read());
}

/** Notes with the present location how far the user has scrolled. */
function keepScroll() {
  if (endRestoring === nothing) history.replaceState({ y: scrollY }, '');
}

const nothing = () => {};
let endRestoring = nothing;

/**
 * Scrolls to where the user was, and again while the page grows as its data come, until the user does anything.
 */
function restoreScroll() {
  endRestoring();
  const y = history.state?.y ?? 0;
  const back = () => scrollTo(0, y);
  if (!y) {
    back();
    return;
  }
  const observer = new ResizeObserver(back);
  const end = () => {
    observer.disconnect();
    clearTimeout(timer);
    HANDS.forEach((name) => removeEventListener(name, end));
    endRestoring = nothing;
  };
  const timer = setTimeout(end, RESTORE_MILLIS);
  HANDS.forEach((name) => addEventListener(name, end, { passive: true }));
  endRestoring = end;
  observer.observe(document.body);
}

/** Follows links between pages without reloading, and finds the way back to where the user was. */
export function startRouter() {
  history.scrollRestoration = 'manual'; // the browser would try before there are data
  let timer = 0;
  addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(keepScroll, SETTLE_MILLIS);
  });
  addEventListener('popstate', () => {
    clearTimeout(timer); // it is about the location that was left
    present.set(read());
    restoreScroll();
  });
  restoreScroll();
  document.addEventListener('click', (event) => {
    /** @type {HTMLAnchorElement | null} */
    const anchor = /** @type {Element} */ (event.target).closest('a[href]');
    if (
      !anchor ||
      event.defaultPrevented ||
      event.button ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    if (anchor.origin !== location.origin || !anchor.pathname.startsWith(HOME)) return;
    if (anchor.pathname.includes('/', HOME.length)) return; // another installation, which has numbers of its own
    event.preventDefault();
    go(anchor.href);
  });
}
