/** How often jobs run and fail, how long they take and wait: by job and by queue. */

import { Ago, Card, Empty, PageHead, Segments } from '../basics.js';
import { Spark } from '../chart.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { duration, number, percent, t } from '../i18n.js';
import { usePulse } from '../live.js';
import { link, refine } from '../router.js';
import { Table } from '../table.js';
import { everyStep, Runs, Spread } from './executions.js';

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
      ${({ jobs, queues, series, step, steps, deploys, timedHours, partial }) => html`
        ${
          jobs.length
            ? html`
              <${Runs} title=${t('metrics.all')} steps=${everyStep(series, steps, step, [0, 0])} deploys=${deploys} />
              <p class="soft">${t('metrics.percentiles')}${timedHours < hours && ` ${t('metrics.timed', timedHours)}`}</p>
              <${Card} flush title=${t('metrics.jobs')}><${Jobs} jobs=${jobs} hours=${hours} /><//>
            `
            : html`<${Empty} icon="metrics" title=${t('empty.metrics')}>${t('empty.metrics.next')}<//>`
        }
        ${partial && html`<p class="soft">${t('metrics.partial')}</p>`}
        ${queues.length > 0 && html`<${Card} flush title=${t('nav.queues')}><${Queues} queues=${queues} hours=${hours} timedHours=${timedHours} /><//>`}
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

const Failed = ({ of: { count, failed } }) => html`
  <td class="number" data-label=${t('column.failed')}>
    ${number(failed)} ${failed > 0 && html`<span class="small bad">${percent(failed / count)}</span>`}
  </td>
`;

const Spreads = ({ of: { ran, waited } }) => html`
  <td class="number" data-label=${t('column.ran')}><${Spread} of=${ran} /></td>
  <td class="number" data-label=${t('column.waited')}><${Spread} of=${waited} /></td>
`;

const SpreadHead = ({ name }) => html`<th class="number">${name}<span class="spread faint"><span>p50</span><span>p95</span><span>p99</span></span></th>`;

const Jobs = ({ jobs, hours }) => html`
  <${Table}>
    <thead>
      <tr>
        <th>${t('column.job')}</th>
        <th>${t('column.trend')}</th>
        <th class="number">${t('column.count')}</th>
        <th class="number">${t('column.failed')}</th>
        <${SpreadHead} name=${t('column.ran')} />
        <${SpreadHead} name=${t('column.waited')} />
        <th class="number">${t('column.total-time')}</th>
      </tr>
    </thead>
    <tbody>
      ${jobs.map(
        (job) => html`
          <tr key=${job.name}>
            <td class="main"><a class="name" href=${link('metric', { job: job.name, hours })}>${job.name}</a></td>
            <td data-label=${t('column.trend')}><${Spark} of=${job.spark} /></td>
            <td class="number" data-label=${t('column.count')}>${number(job.count)}</td>
            <${Failed} of=${job} />
            <${Spreads} of=${job} />
            <td class="number" data-label=${t('column.total-time')}>${duration(job.totalMs)}</td>
          </tr>
        `,
      )}
    </tbody>
  <//>
`;

const Queues = ({ queues, hours, timedHours }) => html`
  <${Table}>
    <thead>
      <tr>
        <th>${t('column.queue')}</th>
        <th>${t('column.trend')}</th>
        <th class="number">${t('column.throughput')}</th>
        <th class="number">${t('column.failed')}</th>
        <${SpreadHead} name=${t('column.ran')} />
        <${SpreadHead} name=${t('column.waited')} />
        <th class="number">${t('column.latency')}</th>
      </tr>
    </thead>
    <tbody>
      ${queues.map(
        (queue) => html`
          <tr key=${queue.name}>
            <td class="main"><a class="name" href=${link('metric', { queue: queue.name, hours })}>${queue.name}</a></td>
            <td data-label=${t('column.trend')}><${Spark} of=${queue.spark} /></td>
            <td class="number" data-label=${t('column.throughput')}>${number(queue.count / (timedHours * 60))}</td>
            <${Failed} of=${queue} />
            <${Spreads} of=${queue} />
            <td class="number" data-label=${t('column.latency')}>${duration(queue.oldest)}</td>
          </tr>
        `,
      )}
    </tbody>
  <//>
`;
