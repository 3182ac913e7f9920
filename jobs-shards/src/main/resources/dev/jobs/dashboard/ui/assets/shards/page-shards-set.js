/** Scheduled jobs, retries and dead jobs of all shards, merged by their times. */

import { Ago, Badge, Button, Card, Empty, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { inDivision } from '../divisions.js';
import { html } from '../html.js';
import { number, t } from '../i18n.js';
import { Cause } from '../jobs/job-parts.js';
import { jobLink, jobName } from '../jobs/places.js';
import { usePulse } from '../live.js';
import { turn } from '../router.js';
import { Steady } from '../steady.js';
import { Table } from '../table.js';
import { MissingShards, ShardLink } from './shards.js';

/** As in the list of a single shard. */
const EVERY_MILLIS = 5_000;
const TIME_LABELS = { scheduled: 'column.due', retries: 'column.next', dead: 'column.died' };

/** @param {{ page: 'scheduled' | 'retries' | 'dead', query: Record<string, string> }} props */
export function Page({ page: place, query: { from } }) {
  const jobs = useData('jobs', { place, from }, usePulse(EVERY_MILLIS, place));
  const total = jobs.data?.total;
  return html`
    <${PageHead} title=${t(`nav.${place}`)} lede=${t('lede.shards-set')} badges=${total > 0 && html`<${Badge}>${number(total)}<//>`} />
    <${Loaded} of=${jobs}>
      ${(list, wish) => html`
        <${MissingShards} of=${list.missing} />
        <p class="badges">
          ${list.counts.map(
            ({ shard, total: some }) => html`
              <a class="button" key=${shard.name} href=${inDivision(shard, place)}>${t('shard.count', shard.name, some)}</a>
            `,
          )}
        </p>
        <${Card} flush>
          ${list.items.length ? html`<${Jobs} place=${place} list=${list} wish=${wish} />` : html`<${Empty} icon=${place} title=${t(`empty.${place}`)} />`}
          ${
            (from || list.next) &&
            html`
            <nav class="pager" aria-label=${t('pager.label')}>
              ${from && html`<${Button} onClick=${() => turn({ from: null })}>${t('pager.start')}<//>`}
              ${list.next && html`<${Button} onClick=${() => turn({ from: list.next })}>${t('pager.next')}<//>`}
            </nav>
          `
          }
        <//>
      `}
    <//>
  `;
}

/** Equal jobs may be in several shards, but not at one index of a list. */
const idOf = ({ shard, job }) => `${shard.name} ${job.key}`;

const Jobs = ({ place, list, wish }) => html`
  <${Steady} items=${list.items} idOf=${idOf} wish=${wish}>
    ${(items) => html`
      <${Table}>
        <thead>
          <tr>
            <th>${t('column.job')}</th>
            <th>${t('column.shard')}</th>
            <th>${t('column.queue')}</th>
            ${place !== 'scheduled' && html`<th>${t('column.error')}</th>`}
            <th>${t(TIME_LABELS[place])}</th>
          </tr>
        </thead>
        <tbody>
          ${items.map((item) => html`<${Row} key=${idOf(item)} shard=${item.shard} job=${item.job} />`)}
        </tbody>
      <//>
    `}
  <//>
`;

const Row = ({ shard, job }) => html`
  <tr>
    <td class="main">
      <a class="name" href=${inDivision(shard, jobLink(job))}>${jobName(job)}</a>
      <span class="args">${job.args}</span>
    </td>
    <td data-label=${t('column.shard')}><${ShardLink} shard=${shard} page=${job.place} /></td>
    <td data-label=${t('column.queue')}><${Badge}>${job.queue ?? '–'}<//></td>
    ${job.place !== 'scheduled' && html`<td class="main"><${Cause} error=${job.error} attempts=${job.attempts} /></td>`}
    <td data-label=${t(TIME_LABELS[job.place])}>${job.at === null ? t('time.never') : html`<${Ago} at=${job.at} />`}</td>
  </tr>
`;
