/** The metrics of one job, or of one queue. */

import { Card, PageHead } from '../basics.js';
import { BarChart, LineChart } from '../chart.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { duration, number, percent, t } from '../i18n.js';
import { link } from '../router.js';
import { estimated, everyStep, Percentiles, Runs, stepLabel } from './executions.js';
import { Hours, hoursOf, useMetricsPulse } from './page-metrics.js';

const TEN_MINUTES_MILLIS = 600_000;
const NO_TIMES = Array(6).fill(null);

export function Page({ query }) {
  const hours = Number(hoursOf(query));
  const { job, queue } = query;
  const metric = useData('metric', { job, queue, hours }, useMetricsPulse());
  return html`
    <${PageHead}
      title=${job ?? (queue === undefined ? '' : t('place.queue', queue))}
      crumb=${html`<a href=${link('metrics', { hours: query.hours })}>${t('nav.metrics')}</a>`}
    ><${Hours} query=${query} /><//>
    <${Loaded} of=${metric}>
      ${(data) => {
        const steps = everyStep(data.series, data.steps, data.step, [0, 0, 0]);
        const times = everyStep(data.times, (data.steps * data.step) / TEN_MINUTES_MILLIS, TEN_MINUTES_MILLIS, NO_TIMES);
        const { deploys } = data;
        return html`
          <${Tiles} metric=${data} />
          <${Runs} title=${t('metric.executions')} steps=${steps} deploys=${deploys} />
          ${data.meanMs !== null && html`<${Durations} steps=${steps} deploys=${deploys} />`}
          ${
            data.times.length > 0 &&
            html`
            <${Percentiles} title=${t('metric.ran')} steps=${times.map((step) => step.slice(0, 4))} deploys=${deploys} />
            <${Percentiles} title=${t('metric.waited')} steps=${times.map((step) => [step[0], ...step.slice(4)])} deploys=${deploys} />
          `
          }
          <${Buckets} title=${t('metric.histogram')} buckets=${data.histogram} hours=${data.histogramHours} wanted=${hours} />
          <${Buckets} title=${t('metric.waits')} buckets=${data.waits} hours=${hours} wanted=${hours} />
        `;
      }}
    <//>
  `;
}

function Tiles({ metric: { count, failed, meanMs, totalMs, ran, waited } }) {
  const tiles = [
    [t('column.count'), number(count)],
    [t('column.failed'), failed ? `${number(failed)} (${percent(failed / count)})` : number(0)],
    [t('metric.ran.half'), estimated(ran.p50)],
    [t('metric.ran.most'), estimated(ran.p95)],
    [t('metric.ran.nearly-all'), estimated(ran.p99)],
    [t('metric.waited.most'), estimated(waited.p95)],
    meanMs !== null && [t('column.mean'), count > failed ? duration(meanMs) : '–'],
    totalMs !== null && [t('column.total-time'), duration(totalMs)],
  ];
  return html`
    <dl class="card tiles">
      ${tiles.filter(Boolean).map(([name, value]) => html`<div class="tile"><dt>${name}</dt><dd class="value">${value}</dd></div>`)}
    </dl>
  `;
}

function Durations({ steps, deploys }) {
  const label = stepLabel(steps);
  return html`
    <${Card} title=${t('metric.mean')}>
      <${LineChart}
        low
        label=${t('metric.mean')}
        format=${duration}
        labels=${steps.map(([at]) => label(at))}
        times=${steps.map(([at]) => at)}
        deploys=${deploys}
        series=${[{ name: t('column.mean'), values: steps.map(mean) }]}
      />
    <//>
  `;
}

const mean = ([, count, failed, millis]) => (count > failed ? millis / (count - failed) : null);

/** A histogram. */
function Buckets({ title, buckets, hours, wanted }) {
  const lastUsed = buckets.findLastIndex(({ count }) => count > 0);
  if (lastUsed < 0) return null;
  const shown = buckets.slice(0, Math.max(lastUsed + 2, 8));
  const label = ({ upTo }, i) => (upTo === null ? `≥ ${duration(buckets[i - 1].upTo)}` : `< ${duration(upTo)}`);
  return html`
    <${Card}
      title=${title}
      aside=${html`<span class="faint">${t(wanted > hours ? 'metric.histogram.most' : 'metric.histogram.hours', hours)}</span>`}
    >
      <${BarChart}
        label=${title}
        axis=${t('chart.duration')}
        labels=${shown.map(label)}
        series=${[{ name: t('metric.runs'), values: shown.map(({ count }) => count) }]}
      />
    <//>
  `;
}
