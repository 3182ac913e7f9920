/** Scheduled jobs, retries, dead jobs. */

import { actionName, actionsOf } from '../actions.js';
import { enqueueByHand, perform } from '../actions/hand-work.js';
import { mayAct, session } from '../api.js';
import { Badge, Button, Empty, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { number, t } from '../i18n.js';
import { live, usePulse } from '../live.js';
import { isEmpty } from '../pager.js';
import { refine } from '../router.js';
import { useStore } from '../store.js';
import { Filters, filtersOf } from './filters.js';
import { JobsTable } from './jobs-table.js';

/** A list may change without its length: a retry may run and fail again. */
const EVERY_MILLIS = 5_000;

const FIELDS = {
  scheduled: ['text', 'job', 'queue'],
  retries: ['text', 'job', 'queue', 'error'],
  dead: ['text', 'job', 'queue', 'error'],
};
const RARE = ['tag', 'since', 'until'];

/** @param {{ page: 'scheduled' | 'retries' | 'dead', query: Record<string, string> }} props */
export function Page({ page: place, query }) {
  const { batch, ...matching } = filtersOf(query);
  const filtered = Object.keys(matching).length > 0;
  const timed = Boolean(matching.since || matching.until);
  const numbers = useStore(live);
  const jobs = useData('jobs', { place, from: query.from, size: query.size, order: query.order, ...matching }, usePulse(EVERY_MILLIS, place));
  // The list is newer than the pushed numbers, or corrects them.
  const total = (timed ? undefined : jobs.data?.total) ?? numbers?.[place];
  const sort = {
    by: 'time',
    // Dead jobs come newest first, the others soonest first.
    turned: (query.order === 'turned') !== (place === 'dead'),
    onSort: () => refine({ order: query.order === 'turned' ? null : 'turned', from: null }),
  };
  return html`
    <${PageHead}
      title=${t(`nav.${place}`)}
      lede=${t(`lede.${place}`)}
      badges=${total > 0 && html`<${Badge}>${number(total)}<//>`}
    >
      ${
        place === 'scheduled' &&
        mayAct() &&
        session.get().features.enqueue &&
        html`<${Button} onClick=${() => enqueueByHand()}>${t('action.enqueue-job')}<//>`
      }
      ${
        total > 0 &&
        actionsOf(place).map(
          (action) => html`
            <${Button} onClick=${() => perform(action, { place, matching })}>
              ${t(filtered ? 'action.on-matching' : 'action.on-all', actionName(action, place))}
            <//>
          `,
        )
      }
    <//>
    <div class="stack">
      ${(total > 0 || filtered) && html`<${Filters} query=${{ ...matching }} fields=${FIELDS[place]} rare=${RARE} />`}
      <${Loaded} of=${jobs}>${(list, wish, address) =>
        isEmpty(list)
          ? html`<${Nothing} place=${place} filtered=${filtered} />`
          : html`<${JobsTable} place=${place} list=${list} wish=${wish} address=${address} matching=${matching} filtered=${filtered} sort=${sort} />`}<//>
    </div>
  `;
}

const Nothing = ({ place, filtered }) =>
  filtered
    ? html`<${Empty} icon="search" title=${t('empty.filtered')}>${t('empty.filtered.next')}<//>`
    : html`<${Empty} icon=${place} title=${t(`empty.${place}`)}>${t(`empty.${place}.next`)}<//>`;
