/** How long jobs take and how often they fail. */

import { Ago, Card, Empty, Meter, PageHead, Segments } from './basics.js';
import { Loaded, useData } from './data.js';
import { html } from './html.js';
import { duration, number, percent, t } from './i18n.js';
import { usePulse } from './live.js';
import { link, refine } from './router.js';
import { Table } from './table.js';

const HOURS = ['1', '4', '8', '24', '48', '72'];
const EVERY_MILLIS = 5_000;

/** The reload interval of both metrics pages. */
export const useMetricsPulse = () => usePulse(EVERY_MILLIS);

export const hoursOf = ({ hours }) => (HOURS.includes(hours) ? hours : '1');

export const Hours = ({ query }) => html`
  <${Segments}
    label=${t('metrics.period')}
    options=${HOURS.map((some) => [some, t('metrics.hours', Number(some))])}
    value=${hoursOf(query)}
    onChoose=${(next) => refine({ hours: next })}
  />
`;

export function Page({ query }) {
  const hours = hoursOf(query);
  const metrics = useData('metrics', { hours }, useMetricsPulse());
  return html`
    <${PageHead} title=${t('nav.metrics')} lede=${t('lede.metrics')}><${Hours} query=${query} /><//>
    <${Loaded} of=${metrics}>
      ${({ jobs, deploys, partial }) => html`
        ${
          jobs.length
            ? html`<${Card} flush><${Jobs} jobs=${jobs} hours=${hours} /><//>`
            : html`<${Empty} icon="metrics" title=${t('empty.metrics')}>${t('empty.metrics.next')}<//>`
        }
        ${partial && html`<p class="soft">${t('metrics.partial')}</p>`}
        ${deploys.length > 0 && html`<${Deploys} deploys=${deploys} />`}
      `}
    <//>
  `;
}

const Deploys = ({ deploys }) => html`
  <${Card} title=${t('metrics.deploys')}>
    <ol class="timeline">
      ${deploys.map(({ at, label }) => html`<li key=${at}><span class="break">${label}</span> <span class="soft"><${Ago} at=${at} /></span></li>`)}
    </ol>
  <//>
`;

function Jobs({ jobs, hours }) {
  const most = Math.max(...jobs.map(({ totalMs }) => totalMs), 1);
  return html`
    <${Table}>
      <thead>
        <tr>
          <th>${t('column.job')}</th>
          <th class="number">${t('column.count')}</th>
          <th class="number">${t('column.failed')}</th>
          <th class="number">${t('column.mean')}</th>
          <th class="number">${t('column.total-time')}</th>
          <th><span class="visually-hidden">${t('column.share')}</span></th>
        </tr>
      </thead>
      <tbody>
        ${jobs.map(
          ({ name, count, failed, meanMs, totalMs }) => html`
            <tr key=${name}>
              <td class="main"><a class="name" href=${link('metric', { job: name, hours })}>${name}</a></td>
              <td class="number" data-label=${t('column.count')}>${number(count)}</td>
              <td class="number" data-label=${t('column.failed')}>
                ${number(failed)} ${failed > 0 && html`<span class="small bad">${percent(failed / count)}</span>`}
              </td>
              <td class="number" data-label=${t('column.mean')}>${count > failed ? duration(meanMs) : '–'}</td>
              <td class="number" data-label=${t('column.total-time')}>${duration(totalMs)}</td>
              <td class="share"><${Meter} share=${totalMs / most} /></td>
            </tr>
          `,
        )}
      </tbody>
    <//>
  `;
}
