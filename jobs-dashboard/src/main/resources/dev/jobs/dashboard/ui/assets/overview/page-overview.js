/** The state: what needs attention, present numbers, history. */

import { Badge, Card, Meter, Notice, PageHead, Segments } from '../basics.js';
import { BarChart, Legend, LineChart } from '../chart.js';
import { Loaded, useData } from '../data.js';
import { presentDivision, scriptOverAll } from '../divisions.js';
import { describe, KINDS } from '../findings.js';
import { html, useEffect, useState } from '../html.js';
import { bytes, clockSeconds, day, duration, number, plural, relative, t } from '../i18n.js';
import { Icon } from '../icon.js';
import { addPoints, live, recent, serverNow, usePulse } from '../live.js';
import { QueueTable } from '../queues/queue-table.js';
import { link, refine } from '../router.js';
import { useStore } from '../store.js';
import { Tiles } from './tiles.js';

const DAYS = ['7', '30', '90', '180'];
/** The number of points that the moving chart has room for; at first it has fewer, further apart. */
const MOST_POINTS = 60;
const LEAST_POINTS = 12;
const SAMPLE_MILLIS = 2_000;
const WARNINGS_EVERY_MILLIS = 10_000;

export function Page({ query }) {
  const days = DAYS.includes(query.days) ? query.days : '7';
  const pushed = useStore(live);
  const overview = useData('overview', { days }, usePulse(WARNINGS_EVERY_MILLIS));
  useEffect(() => {
    if (overview.data) addPoints(overview.data.recent);
  }, [overview.data]);
  return html`
    <${PageHead} title=${t('nav.overview')} />
    ${presentDivision() && html`<div class="over-all"><${OverAll} /></div>`}
    <${Loaded} of=${overview}>
      ${(data) => {
        const numbers = pushed ?? data.live;
        return html`
          <${Warnings} warnings=${data.warnings} attention=${data.attention} />
          <${Tiles} numbers=${numbers} oldest=${oldest(numbers.queues)} />
          <${Now} numbers=${numbers} deploys=${data.deploys} />
          <${History} history=${data.history} days=${days} deploys=${data.deploys} />
          <${Card}
            flush
            title=${t('overview.queues')}
            aside=${data.queueCount > data.queues.length && html`<a href="queues">${t('overview.all-queues', data.queueCount)}</a>`}
          >
            <${QueueTable} queues=${numbers.queues ?? data.queues} />
          <//>
          <div class="columns">
            <${Server} server=${data.server} />
            <${Books} books=${data.books} />
          </div>
        `;
      }}
    <//>
  `;
}

/** What the feature that divides the jobs says of all of them, so that the numbers of one are not taken for those. */
function OverAll() {
  const [loaded, setLoaded] = useState(null);
  useEffect(() => {
    scriptOverAll('on-overview').then(setLoaded, () => {}); // the page is complete without it
  }, []);
  return loaded && html`<${loaded.OverAll} />`;
}

/** Where to look further. */
const PLACES = {
  failing: ({ subject }) => link('metric', { job: subject }),
  late: ({ subject }) => link('queue', { name: subject }),
  died: () => link('dead'),
};

/** What needs attention, the worst first; or that nothing does. */
function Warnings({ warnings, attention }) {
  if (!warnings.length && !attention.length) {
    return html`<p class="calm"><${Icon} name="check" />${t('attention.none')}</p>`;
  }
  return html`
    <section class="notices" aria-label=${t('attention.label')}>
      ${warnings.map((warning) => {
        const { title, next } = describe(`warning.${warning.code}`, warning);
        return html`<${Notice} key=${warning.code + warning.subject} kind=${KINDS[warning.level]} title=${title}>${next}<//>`;
      })}
      ${attention.map(
        (some) => html`
          <${Notice}
            key=${some.code + some.subject}
            kind="warn"
            title=${attentionTitle(some)}
            action=${html`<a class="button" href=${PLACES[some.code](some)}>${t('attention.look')}<span class="visually-hidden"> ${some.subject}</span></a>`}
          />
        `,
      )}
    </section>
  `;
}

function attentionTitle({ code, subject, values }) {
  const [first, second] = values.map(Number);
  if (code === 'failing') return t('attention.failing', subject, first, second);
  if (code === 'late') return t('attention.late', subject, duration(first), second);
  return t('attention.died', first, relative(second, serverNow()));
}

/** How long the oldest of the jobs has waited that are taken next. */
const oldest = (queues = []) => Math.max(0, ...queues.map(({ size, latency }) => (size ? latency : 0)));

function Now({ numbers, deploys }) {
  const points = useStore(recent).slice(-MOST_POINTS);
  const padded = [...Array(Math.max(LEAST_POINTS - points.length, 0)).fill([null, null, null]), ...points];
  const names = [t('tile.processed'), t('tile.failed')];
  const rate = numbers.processedRate ?? 0;
  return html`
    <${Card} title=${t('overview.now')} aside=${html`<${Legend} names=${names} />`}>
      <p class="soft now"><b>${number(rate)}</b> ${t('overview.per-second')}</p>
      <${LineChart}
        label=${t('overview.now.label', rate, numbers.failedRate ?? 0)}
        labels=${padded.map(([at]) => (at ? clockSeconds(at) : ''))}
        times=${padded.map(([at]) => at)}
        deploys=${deploys}
        series=${names.map((name, i) => ({ name, values: padded.map((point) => point[i + 1]) }))}
        moving=${{ key: points.at(-1)?.[0] ?? 0, millis: SAMPLE_MILLIS }}
      />
    <//>
  `;
}

function History({ history, days, deploys }) {
  const names = [t('history.succeeded'), t('tile.failed')];
  const sum = (field) => history.reduce((total, some) => total + some[field], 0);
  const series = [
    { name: names[0], values: history.map(({ processed, failed }) => Math.max(processed - failed, 0)) },
    { name: names[1], values: history.map(({ failed }) => failed) },
  ];
  const options = DAYS.map((some) => [some, plural('days', Number(some))]);
  const choice = html`
    <${Segments}
      label=${t('history.label')}
      options=${options}
      value=${days}
      onChoose=${(next) => refine({ days: next })}
    />
  `;
  return html`
    <${Card} title=${t('overview.history')} aside=${choice}>
      <${BarChart}
        low
        label=${t('history.chart', Number(days), sum('processed'), sum('failed'))}
        axis=${t('chart.day')}
        labels=${history.map((some) => day(some.day))}
        times=${history.map((some) => Date.parse(some.day))}
        deploys=${deploys}
        series=${series}
      />
      <${Legend} names=${names} />
    <//>
  `;
}

function Server({ server }) {
  const { name, version, uptime, usedMemory, peakMemory, maxMemory, policy, clients } = server;
  return html`
    <${Card} title=${t('overview.redis')}>
      <dl class="facts">
        <dt>${t('redis.version')}</dt>
        <dd>${name} ${version}</dd>
        <dt>${t('redis.uptime')}</dt>
        <dd>${duration(uptime)}</dd>
        <dt>${t('redis.memory')}</dt>
        <dd>
          ${maxMemory ? t('redis.memory.of', bytes(usedMemory), bytes(maxMemory)) : bytes(usedMemory)}
          ${' '}<span class="faint">${t('redis.peak', bytes(peakMemory))}</span>
          ${maxMemory > 0 && html`<${Meter} share=${usedMemory / maxMemory} />`}
        </dd>
        <dt>${t('redis.policy')}</dt>
        <dd>${policy ?? '–'}</dd>
        <dt>${t('redis.clients')}</dt>
        <dd>${number(clients)}</dd>
      </dl>
    <//>
  `;
}

function Books({ books }) {
  if (!books) return null;
  const badge = books.error
    ? html`<${Badge} kind="bad">${t('books.wrong', books.error)}<//>`
    : html`<${Badge} kind="good">${t('books.right')}<//>`;
  return html`
    <${Card} title=${t('overview.books')} aside=${badge}>
      <dl class="facts">
        ${['claimed', 'acked', 'moved', 'requeued', 'recovered', 'poisoned', 'inFlight'].map(
          (name) => html`<dt>${t(`books.${name}`)}</dt><dd>${number(books[name])}</dd>`,
        )}
      </dl>
    <//>
  `;
}
