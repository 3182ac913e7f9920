/** The metrics of one job. */

import { Card, PageHead } from './basics.js';
import { BarChart, Legend, LineChart } from './chart.js';
import { Loaded, useData } from './data.js';
import { html } from './html.js';
import { clock, duration, number, percent, t } from './i18n.js';
import { serverNow } from './live.js';
import { Hours, hoursOf, useMetricsPulse } from './page-metrics.js';
import { link } from './router.js';

const MINUTE_MILLIS = 60_000;
/** Up to this number of hours there is a value for each minute, beyond that for every ten minutes. */
const HOURS_BY_MINUTE = 8;

export function Page({ query }) {
  const hours = Number(hoursOf(query));
  const metric = useData('metric', { job: query.job, hours }, useMetricsPulse());
  return html`
    <${PageHead}
      title=${query.job ?? ''}
      crumb=${html`<a href=${link('metrics', { hours: query.hours })}>${t('nav.metrics')}</a>`}
    ><${Hours} query=${query} /><//>
    <${Loaded} of=${metric}>
      ${(data) => html`
        <${Tiles} metric=${data} />
        <${Executions} steps=${everyStep(data.series, hours)} />
        <${Durations} steps=${everyStep(data.series, hours)} />
        <${Histogram} buckets=${data.histogram} hours=${data.histogramHours} wanted=${hours} />
      `}
    <//>
  `;
}

/** The series including empty steps. */
function everyStep(series, hours) {
  const step = hours <= HOURS_BY_MINUTE ? MINUTE_MILLIS : 10 * MINUTE_MILLIS;
  const last = Math.floor(serverNow() / step) * step;
  const known = new Map(series.map((point) => [point[0], point]));
  return Array.from(
    { length: (hours * 60 * MINUTE_MILLIS) / step },
    (_, i, at = last - i * step) => known.get(at) ?? [at, 0, 0, 0],
  ).reverse();
}

function Tiles({ metric: { count, failed, meanMs, totalMs } }) {
  const tiles = [
    ['column.count', number(count)],
    ['column.failed', failed ? `${number(failed)} (${percent(failed / count)})` : number(0)],
    ['column.mean', count > failed ? duration(meanMs) : '–'],
    ['column.total-time', duration(totalMs)],
  ];
  return html`
    <dl class="card tiles">
      ${tiles.map(([key, value]) => html`<div class="tile"><dt>${t(key)}</dt><dd class="value">${value}</dd></div>`)}
    </dl>
  `;
}

function Executions({ steps }) {
  const names = [t('history.succeeded'), t('tile.failed')];
  return html`
    <${Card} title=${t('metric.executions')} aside=${html`<${Legend} names=${names} />`}>
      <${BarChart}
        low
        label=${t('metric.executions')}
        labels=${steps.map(([at]) => clock(at))}
        series=${[
          { name: names[0], values: steps.map(([, count, failed]) => Math.max(count - failed, 0)) },
          { name: names[1], values: steps.map(([, , failed]) => failed) },
        ]}
      />
    <//>
  `;
}

const Durations = ({ steps }) => html`
  <${Card} title=${t('metric.mean')}>
    <${LineChart}
      low
      label=${t('metric.mean')}
      format=${duration}
      labels=${steps.map(([at]) => clock(at))}
      series=${[{ name: '', values: steps.map(mean) }]}
    />
  <//>
`;

const mean = ([, count, failed, millis]) => (count > failed ? millis / (count - failed) : null);

function Histogram({ buckets, hours, wanted }) {
  const lastUsed = buckets.findLastIndex(({ count }) => count > 0);
  const shown = buckets.slice(0, Math.max(lastUsed + 2, 8));
  const label = ({ upTo }, i) => (upTo === null ? `≥ ${duration(buckets[i - 1].upTo)}` : `< ${duration(upTo)}`);
  return html`
    <${Card}
      title=${t('metric.histogram')}
      aside=${html`<span class="faint">${t(wanted > hours ? 'metric.histogram.most' : 'metric.histogram.hours', hours)}</span>`}
    >
      <${BarChart}
        label=${t('metric.histogram')}
        labels=${shown.map(label)}
        series=${[{ name: t('metric.runs'), values: shown.map(({ count }) => count) }]}
      />
    <//>
  `;
}
