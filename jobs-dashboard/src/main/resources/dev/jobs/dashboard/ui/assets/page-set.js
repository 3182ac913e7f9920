/** Scheduled jobs, retries, dead jobs. */

import { act, actionName, actionsOf } from './actions.js';
import { Badge, Button, Empty, PageHead } from './basics.js';
import { Loaded, useData } from './data.js';
import { Filters, filtersOf } from './filters.js';
import { html } from './html.js';
import { number, t } from './i18n.js';
import { isEmpty, JobsTable } from './jobs-table.js';
import { live, usePulse } from './live.js';
import { useStore } from './store.js';

/** A list may change without its length: a retry may run and fail again. */
const EVERY_MILLIS = 5_000;

const FIELDS = {
  scheduled: ['text', 'job', 'queue'],
  retries: ['text', 'job', 'queue', 'error'],
  dead: ['text', 'job', 'queue', 'error'],
};

/** @param {{ page: 'scheduled' | 'retries' | 'dead', query: Record<string, string> }} props */
export function Page({ page: place, query }) {
  const matching = filtersOf(query);
  const filtered = Object.keys(matching).length > 0;
  const numbers = useStore(live);
  const jobs = useData('jobs', { place, from: query.from, ...matching }, usePulse(EVERY_MILLIS, place));
  // The list is newer than the pushed numbers, or corrects them.
  const total = jobs.data?.total ?? numbers?.[place];
  return html`
    <${PageHead}
      title=${t(`nav.${place}`)}
      lede=${t(`lede.${place}`)}
      badges=${total > 0 && html`<${Badge}>${number(total)}<//>`}
    >
      ${
        total > 0 &&
        actionsOf(place).map(
          (action) => html`
            <${Button} onClick=${() => act(action, { place, matching })}>
              ${t(filtered ? 'action.on-matching' : 'action.on-all', actionName(action, place))}
            <//>
          `,
        )
      }
    <//>
    <div class="stack">
      ${(total > 0 || filtered) && html`<${Filters} query=${query} fields=${FIELDS[place]} />`}
      <${Loaded} of=${jobs}>${(list) =>
        isEmpty(list)
          ? html`<${Nothing} place=${place} filtered=${filtered} />`
          : html`<${JobsTable} place=${place} list=${list} matching=${matching} filtered=${filtered} />`}<//>
    </div>
  `;
}

const Nothing = ({ place, filtered }) =>
  filtered
    ? html`<${Empty} icon="search" title=${t('empty.filtered')}>${t('empty.filtered.next')}<//>`
    : html`<${Empty} icon=${place} title=${t(`empty.${place}`)}>${t(`empty.${place}.next`)}<//>`;
