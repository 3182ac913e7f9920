/** The user's settings in this browser. */

import { store } from './store.js';

const MEDIA = matchMedia('(prefers-color-scheme: dark)');

function recall(key) {
  try {
    return localStorage.getItem(`jobs.${key}`);
  } catch {
    return null; // the browser stores nothing for this site
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(`jobs.${key}`, value);
  } catch {
    // then it applies until the page is left
  }
}

/** `light`, `dark`, or null to follow the system. */
export const theme = store(recall('theme'));

/** The tag of a language, or null for the browser's. */
export const chosenLanguage = store(recall('language'));

export function toggleTheme() {
  const dark = theme.get() ? theme.get() === 'dark' : MEDIA.matches;
  theme.set(dark ? 'light' : 'dark');
  remember('theme', theme.get());
  applyTheme();
}

export function applyTheme() {
  if (theme.get()) document.documentElement.dataset.theme = theme.get();
}

/**
 * A page with its filters under a name.
 *
 * @typedef {{ name: string, target: string }} View
 */

/** @type {import('./store.js').Store<View[]>} */
export const savedViews = store(recallViews());

/** @returns {View[]} */
function recallViews() {
  try {
    const views = JSON.parse(recall('views') ?? '[]');
    return views.filter(({ name, target }) => typeof name === 'string' && /^[a-z]*\?/.test(target));
  } catch {
    return [];
  }
}

/** @param {View[]} views */
export function saveViews(views) {
  remember('views', JSON.stringify(views));
  savedViews.set(views);
}

/** Whether times are shown exactly rather than relative to now. */
export const exactTimes = store(recall('times') === 'exact');

/** @param {boolean} exact */
export function chooseTimes(exact) {
  remember('times', exact ? 'exact' : 'relative');
  exactTimes.set(exact);
}

/** @param {string} language */
export function chooseLanguage(language) {
  remember('language', language);
  chosenLanguage.set(language);
}
