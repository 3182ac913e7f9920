/** On the overview of one shard: the sums of all of them, so that its numbers are not taken for those. */

import { Notice } from '../basics.js';
import { useData } from '../data.js';
import { callOverAll, overAll, presentDivision } from '../divisions.js';
import { html } from '../html.js';
import { t } from '../i18n.js';
import { usePulse } from '../live.js';
import { sum } from './shards.js';

const EVERY_MILLIS = 10_000;

export function OverAll() {
  const { data } = useData(callOverAll('overview'), {}, usePulse(EVERY_MILLIS));
  if (!data) return null;
  const [enqueued, busy, dead] = ['enqueued', 'busy', 'dead'].map((name) => sum(data.live, name));
  return html`
    <${Notice} title=${t('shards.home', presentDivision().name, enqueued, busy, dead)}
      action=${html`<a class="button" href=${overAll('')}>${t('shards.all')}</a>`} />
  `;
}
