/** Says which shards are missing in what a page shows. */

import { Notice } from '../basics.js';
import { errorText } from '../errors.js';
import { html } from '../html.js';
import { t } from '../i18n.js';

/** @typedef {{ shard: import('./shards.js').Shard, code: string, message: string }} Missing */

/** @param {{ of: Missing[] }} props */
export const MissingShards = ({ of }) =>
  once(of).map(
    (each) => html`<${Notice} key=${each.shard.name} kind="warn" title=${t('shards.without', each.shard.name)}>${errorText(each)}<//>`,
  );

/** The names of those in which something was not done. @param {Missing[]} missing */
export const namesOf = (missing) =>
  once(missing)
    .map(({ shard }) => shard.name)
    .join(', ');

/** A shard may have been asked twice. @param {Missing[]} missing */
const once = (missing) => [...new Map(missing.map((each) => [each.shard.name, each])).values()];
