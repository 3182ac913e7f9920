/**
 * The user's location: a page and its query, as in `queue?name=low`. All pages are one level deep, so relative
 * addresses work on each of them, under any context path and behind any prefix.
 */

import { store, useStore } from './store.js';

/** The folder of the pages, with a slash at its end. */
const HOME = new URL('.', location.href).pathname;

/**
 * @typedef {{ page: string, query: Record<string, string> }} Place the overview is the page ''
 */

/** @returns {Place} */
const read = () => ({
  page: location.pathname.slice(HOME.length),
  query: Object.fromEntries(new URLSearchParams(location.search)),
});

const place = store(read());

/** @returns {Place} */
export const usePlace = () => useStore(place);

/** @param {Record<string, unknown>} values undefined and null ones are left out; an empty text may mean something */
export function search(values) {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(present).toString();
  return text && `?${text}`;
}

/** The address of a page. */
export const link = (page, query = {}) => `${page || './'}${search(query)}`;

/** @param {string} target made by {@link link} */
export function go(target) {
  history.pushState(null, '', target);
  place.set(read());
  scrollTo(0, 0);
}

/**
 * Changes the query of the current page without a new entry in the browser's history.
 *
 * @param {Record<string, string | number | null>} changes null removes
 */
export function refine(changes) {
  const { page, query } = place.get();
  history.replaceState(null, '', link(page, { ...query, ...changes }));
  place.set(read());
}

/** Follows links between pages without reloading. */
export function startRouter() {
  addEventListener('popstate', () => place.set(read()));
  document.addEventListener('click', (event) => {
    const anchor = event.target.closest('a[href]');
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
    event.preventDefault();
    go(anchor.href);
  });
}
