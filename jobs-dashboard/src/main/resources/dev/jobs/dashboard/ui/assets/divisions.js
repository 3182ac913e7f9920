/** The installations among which the application divides its jobs: which one the pages show, and the ways between them. */

import { session } from './api.js';

/**
 * @typedef {{ name: string, at: string }} Division at: the segment of its path, empty for home
 */

/** What the session says of them; nothing if home is the only one. */
const divided = () => session.get()?.divisions ?? null;

/** All of them, home first; none if home is the only one. @returns {Division[]} */
export const divisions = () => divided()?.all ?? [];

/** Whether the pages show all of them together. */
export const isOverAll = () => divided() !== null && session.get().at === divided().view;

/** The one that the pages show, if they show one. @returns {Division | undefined} */
export const presentDivision = () => divisions().find(({ at }) => at === session.get().at);

/** The pages of the view over all of them; none if home is the only one. @returns {string[]} */
export const pagesOverAll = () => Object.keys(divided()?.pages ?? {});

/** A text about all of them, from those of the feature that divides. @param {'nav' | 'all'} which */
export const textOverAll = (which) => (which === 'nav' ? `nav.${divided().view}` : `${divided().view}.all`);

/** Loads a script of the feature that divides. @param {string} script */
export const scriptOverAll = (script) => import(`./${divided().view}/${script}.js`);

/** Loads a page of the view over all of them. @param {string} page */
export const loadOverAll = (page) => scriptOverAll(divided().pages[page]);

/** The address of a page elsewhere; one level down, a folder up is the dashboard's. @param {string} at @param {string} page */
export const elsewhere = (at, page) => `${session.get().at && '../'}${at && `${at}/`}${page}` || './';

/** The address of a page of the view over all of them. @param {string} page */
export const overAll = (page) => (isOverAll() ? page || './' : elsewhere(divided().view, page));

/** A call of the view over all of them, from wherever the page is. @param {string} path */
export const callOverAll = (path) => (isOverAll() ? path : `../${elsewhere(divided().view, `api/${path}`)}`);

/** The address of a page of one of them. @param {Division} division @param {string} page */
export const inDivision = ({ at }, page) => elsewhere(at, page);
