/** What the pages of the view over all shards share. */

import { Notice } from '../basics.js';
import { inDivision } from '../divisions.js';
import { errorText } from '../errors.js';
import { html } from '../html.js';
import { number, t } from '../i18n.js';

/** @typedef {import('../divisions.js').Division} Shard */
/** @typedef {{ shard: Shard, code: string, message: string }} Missing */

/** The name of a shard, which leads to a page of it. @param {{ shard: Shard, page?: string }} props */
export const ShardLink = ({ shard, page = '' }) =>
  html`<a class="badge accent" href=${inDivision(shard, page)} aria-label=${t('shard.is', shard.name)}>${shard.name}</a>`;

/** What is before the sums of all shards: some shard may not have answered yet. @param {number} unread */
export const atLeast = (unread) => (unread ? '≥ ' : '');

/** A sum of all shards. @param {{ unread: number }} numbers @param {string} name */
export const sum = (numbers, name) => atLeast(numbers.unread) + number(numbers[name]);

/** Says which shards are missing in what a page shows. @param {{ of: Missing[] }} props */
export const MissingShards = ({ of }) =>
  once(of).map(
    (each) => html`<${Notice} key=${each.shard.name} kind="warn" title=${t('shards.without', each.shard.name)}>${errorText(each)}<//>`,
  );

/** What an action did, and the shards in which it was not done. @param {string} done @param {Missing[]} missing */
export const doneExcept = (done, missing) =>
  missing.length
    ? `${done} ${t(
        'shards.except',
        once(missing)
          .map(({ shard }) => shard.name)
          .join(', '),
      )}`
    : done;

/** A shard may have been asked twice. @param {Missing[]} missing */
const once = (missing) => [...new Map(missing.map((each) => [each.shard.name, each])).values()];
