/** All batches. */

import { Ago, Card, Empty, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { t } from '../i18n.js';
import { Filters } from '../jobs/filters.js';
import { Tags } from '../jobs/job-parts.js';
import { usePulse } from '../live.js';
import { isEmpty, Pager } from '../pager.js';
import { refine } from '../router.js';
import { Steady } from '../steady.js';
import { Table } from '../table.js';
import { BatchBadges, batchLink, ended, rateText, remainingText, StateBar } from './batch-parts.js';

const EVERY_MILLIS = 2_000;

const STATES = [
  'any',
  'unfinished',
  'failing',
  'filling',
  'waiting',
  'running',
  'cancelling',
  'succeeded',
  'finished',
  'cancelled',
];

export function Page({ query: { from, batch, tag, state } }) {
  const shown = STATES.includes(state) ? state : 'any';
  const filtered = Boolean(batch || tag || shown !== 'any');
  const batches = useData('batches', { from, text: batch, tag, state: shown }, usePulse(EVERY_MILLIS));
  return html`
    <${PageHead} title=${t('nav.batches')} lede=${t('lede.batches')}>
      <select
        aria-label=${t('batches.state')}
        value=${shown}
        onChange=${(event) => refine({ state: event.target.value === 'any' ? null : event.target.value, from: null })}
      >
        ${STATES.map((some) => html`<option value=${some}>${t(`batch.state.${some}`)}</option>`)}
      </select>
    <//>
    <div class="stack">
      ${(filtered || batches.data?.total > 0) && html`<${Filters} query=${{ batch, tag }} fields=${['batch', 'tag']} />`}
      <${Loaded} of=${batches}>
        ${(list, wish) =>
          isEmpty(list)
            ? html`<${Nothing} filtered=${filtered} />`
            : html`<${Card} flush><${Steady} items=${list.items} idOf=${({ id }) => id} wish=${wish}>${(items) => html`<${List} items=${items} />`}<//><${Pager} list=${list} filtered=${filtered} /><//>`}
      <//>
    </div>
  `;
}

const Nothing = ({ filtered }) =>
  filtered
    ? html`<${Empty} icon="search" title=${t('empty.batches.filtered')}>${t('empty.filtered.next')}<//>`
    : html`<${Empty} icon="batches" title=${t('empty.batches')}>${t('empty.batches.next')}<//>`;

const List = ({ items }) => html`
  <${Table}>
    <thead>
      <tr>
        <th>${t('batch.title')}</th>
        <th>${t('batches.state')}</th>
        <th>${t('column.size')}</th>
        <th>${t('times.created')}</th>
        <th class="number">${t('batch.rate')}</th>
        <th class="number">${t('batch.remaining')}</th>
      </tr>
    </thead>
    <tbody>
      ${items.map((batch) => html`<${Row} key=${batch.id} batch=${batch} />`)}
    </tbody>
  <//>
`;

const Row = ({ batch }) => html`
  <tr>
    <td class="main">
      <a class="name" href=${batchLink(batch.id)}>${batch.name}</a>
      <${Tags} tags=${batch.tags} />
      ${batch.description && html`<span class="args plain">${batch.description}</span>`}
    </td>
    <td><${BatchBadges} batch=${batch} /></td>
    <td class="share bar">
      <${StateBar} counts=${batch.counts} />
      <span class="small soft">${t('batch.ended-of', ended(batch.counts), batch.counts.total)}</span>
    </td>
    <td data-label=${t('times.created')}><${Ago} at=${batch.createdAt} /></td>
    <td class="number" data-label=${t('batch.rate')}>${rateText(batch.rate)}</td>
    <td class="number" data-label=${t('batch.remaining')}>${remainingText(batch)}</td>
  </tr>
`;
