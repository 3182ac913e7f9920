/** The shards of the application: which one the pages show, and the ways between them. */

import { session } from '../api.js';
import { html } from '../html.js';
import { compact, number, t } from '../i18n.js';

/**
 * @typedef {{ name: string, at: string }} Shard at: the segment of its path, empty for home
 */

/** The segment of the path of the view over all shards. */
const ALL = 'shards';

/** The pages that the view over all shards has. */
export const PAGES_OF_ALL = ['', 'busy', 'queues', 'scheduled', 'retries', 'dead'];

/** All shards, home first; none if home is the only one. @returns {Shard[]} */
export const shards = () => session.get()?.shards ?? [];

/** Whether the pages show all shards together. */
export const isOverAll = () => shards().length > 0 && session.get().at === ALL;

/** The shard that the pages show, if they show one. @returns {Shard | undefined} */
export const presentShard = () => shards().find(({ at }) => at === session.get().at);

/** The address of a page elsewhere; one level down, a folder up is the dashboard's. @param {string} at @param {string} page */
export const elsewhere = (at, page) => `${session.get().at && '../'}${at && `${at}/`}${page}` || './';

/** The address of a page of the view over all shards. @param {string} page */
export const overAll = (page) => (isOverAll() ? page || './' : elsewhere(ALL, page));

/** A call of the view over all shards, from wherever the page is. @param {string} path */
export const callOverAll = (path) => (isOverAll() ? path : `../${elsewhere(ALL, `api/${path}`)}`);

/** The address of a page of a shard. @param {Shard} shard @param {string} page */
export const inShard = ({ at }, page) => elsewhere(at, page);

/** The name of a shard, which leads to a page of it. @param {{ shard: Shard, page?: string }} props */
export const ShardLink = ({ shard, page = '' }) =>
  html`<a class="badge accent" href=${inShard(shard, page)} aria-label=${t('shard.is', shard.name)}>${shard.name}</a>`;

/** From this number on a tile has no room for all digits. */
const WIDEST = 10_000_000;

/** What the sums of all shards are, at least: some shard may not have answered yet. @param {number} unread */
const atLeast = (unread) => (unread ? '≥ ' : '');

/** A sum of all shards. @param {{ unread: number }} numbers @param {string} name */
export const sum = (numbers, name) => atLeast(numbers.unread) + number(numbers[name]);

/** A sum of all shards where there is little room. @param {{ unread: number }} numbers @param {string} name */
export const briefSum = (numbers, name) =>
  numbers[name] < WIDEST ? sum(numbers, name) : atLeast(numbers.unread) + compact(numbers[name]);
