/** One job: its place and the reason, its content, its error. */

import { act, actionName, actionsOf } from './actions.js';
import { mayAct } from './api.js';
import { Ago, Badge, Button, Card, Empty, Notice, PageHead } from './basics.js';
import { BatchPlace } from './batch-parts.js';
import { Loaded, useData } from './data.js';
import { describe } from './findings.js';
import { html, useState } from './html.js';
import { bytes, number, plural, t } from './i18n.js';
import { Icon } from './icon.js';
import { Tags } from './jobs-table.js';
import { live } from './live.js';
import { jobLink, jobName, placeLink, placeName } from './places.js';
import { Report } from './report.js';
import { cancel, Elapsed, Stack } from './running.js';
import { useStore } from './store.js';

/** Members of the payload that the page shows in another form. */
const SHOWN_ABOVE = [
  'class',
  'queue',
  'jid',
  'created_at',
  'enqueued_at',
  'failed_at',
  'retried_at',
  'error_class',
  'error_message',
  'tags',
];

export function Page({ query }) {
  const [full, setFull] = useState(false);
  const { place, queue, key, jid, process, thread } = query;
  const numbers = useStore(live);
  // In full it may be megabytes, too much to reload every two seconds.
  const job = useData('job', { place, queue, key, jid, process, thread, full: full || undefined }, full || numbers?.at);
  return html`
    ${!job.data && html`<${PageHead} title=${jid ?? t('column.job')} />`}
    <${Loaded} of=${job}>
      ${(data) =>
        data.job
          ? html`<${Found} data=${data} full=${full} onFull=${setFull} />`
          : html`<${Gone} data=${data} jid=${jid} ended=${place === 'running' || place === 'ended'} />`}
    <//>
  `;
}

/** The job isn't there, or the search ended before it was found. */
function Gone({ data: { elsewhere, elsewherePartial, sought, batch }, jid, ended }) {
  const title = ended ? t('job.ended') : t(sought === 'partial' ? 'job.unfound' : 'job.gone');
  const next = sought === 'partial' || elsewherePartial ? 'job.gone.partial' : 'job.gone.next';
  return html`
    <${PageHead} title=${title} lede=${jid} />
    ${
      elsewhere.length
        ? html`<${Card} title=${t('job.gone.now')}><${Elsewhere} elsewhere=${elsewhere} jid=${jid} /><//>`
        : html`<${Empty} icon="search" title=${title}>${t(next)}<//>`
    }
    <${Report} jid=${jid} />
    ${batch && html`<${BatchPlace} place=${batch} />`}
  `;
}

const Elsewhere = ({ elsewhere, jid }) => html`
  <ul>
    ${elsewhere.map(
      (some) =>
        html`<li><a href=${jobLink({ ...some, jid })}>${placeName(some)}</a>${some.since && html` <${Ago} at=${some.since} />`}</li>`,
    )}
  </ul>
`;

function Found({ data, full, onFull }) {
  const { job, running } = data;
  const [stack, setStack] = useState(false);
  const place = running ? 'running' : job.place;
  const target = { place: job.place, queue: job.place === 'queue' ? job.queue : undefined, keys: [job.key] };
  const allowed = actionsOf(place).filter((action) => data.actions.includes(action));
  // That no job is before it is irrelevant if no worker takes it.
  const reasons = data.waiting.filter(
    ({ code }, _, all) => code !== 'next' || !all.some((other) => ALARMING[other.code]),
  );
  const members = data.payload.filter(({ name }) => !SHOWN_ABOVE.includes(name));
  const malformed = job.malformed && html`<${Badge} kind="bad">${t('job.malformed')}<//>`;
  const more = !full && html`<${Button} onClick=${() => onFull(true)}>${t('job.show-all', bytes(job.bytes))}<//>`;
  const cut = data.rawCut || data.argumentsCut || data.arguments.some((argument) => argument.cut);
  return html`
    <${PageHead}
      title=${jobName(job)}
      crumb=${html`<a href=${placeLink({ ...job, place })}>${placeName({ ...job, place })}</a>`}
      badges=${html`<span class="badges"><${Tags} tags=${job.tags} />${malformed}</span>`}
    >
      ${allowed.map(
        (action) => html`
          <${Button} onClick=${() => act(action, target)}>${actionName(action, job.place)}<//>
        `,
      )}
      ${running?.stack && html`<${Button} onClick=${() => setStack(true)}>${t('action.stack')}<//>`}
      ${running?.stack && job.jid && mayAct() && html`<${Button} onClick=${() => cancel(job)}>${t('action.cancel-job')}<//>`}
    <//>
    ${
      full &&
      html`
        <${Notice}
          title=${t('job.full')}
          action=${html`<${Button} onClick=${() => onFull(false)}>${t('job.show-less')}<//>`}
        >${cut && t('job.full.cut')}<//>
      `
    }
    ${reasons.map((reason) => html`<${Waiting} key=${reason.code} reason=${reason} estimate=${data.estimatedStart} />`)}
    ${running && html`<${Runs} running=${running} job=${job} />`}
    ${job.error && html`<${Failure} data=${data} />`}
    <${Report} jid=${job.jid} />
    ${data.batch && html`<${BatchPlace} place=${data.batch} />`}
    ${!job.malformed && html`<${Arguments} list=${data.arguments} cut=${data.argumentsCut} more=${more} />`}
    <div class="columns">
      <${Facts} job=${job} position=${data.position} />
      ${!job.malformed && html`<${Times} data=${data} />`}
    </div>
    ${members.length > 0 && html`<${Payload} members=${members} />`}
    <${Card} title=${t('job.raw')} aside=${html`<span class="faint small">${bytes(job.bytes)}</span>`}>
      <details open=${job.malformed}>
        <summary>${t('job.raw.show')}</summary>
        <pre>${data.raw}${data.rawCut && '…'}</pre>
        ${data.rawCut && more && html`<p>${more}</p>`}
      </details>
    <//>
    ${stack && running && html`<${Stack} of=${{ ...running, job }} onClose=${() => setStack(false)} />`}
  `;
}

/** Of an attempt that runs. `attempts` are those that failed. */
const Runs = ({ running: { process, thread, since }, job: { attempts } }) => html`
  <dl class="card tiles">
    <div class="tile"><dt>${t('column.elapsed')}</dt><dd class="value"><${Elapsed} since=${since} /></dd></div>
    <div class="tile"><dt>${t('job.attempt')}</dt><dd class="value">${number(attempts + 1)}</dd></div>
    <div class="tile"><dt>${t('limits.process')}</dt><dd class="break"><code>${process}</code></dd></div>
    <div class="tile"><dt>${t('column.thread')}</dt><dd class="break"><code>${thread}</code></dd></div>
  </dl>
`;

const ALARMING = {
  unserved: 'warn',
  quiet: 'warn',
  'unknown-job': 'warn',
  paused: 'warn',
  malformed: 'bad',
  dead: 'bad',
};
const ESTIMATED = ['behind', 'busy', 'next'];

function Waiting({ reason, estimate }) {
  const { code, values } = reason;
  const { title, next } = describe(`waiting.${code}`, reason);
  const due = code === 'scheduled' || code === 'retry';
  return html`
    <section class="card waiting ${ALARMING[code] ?? ''}">
      <${Icon} name=${ALARMING[code] ? 'warning' : 'scheduled'} />
      <div>
        <p>
          <strong>${title}</strong>
          ${due && html` <${Ago} at=${Number(values[0])} />`}
        </p>
        ${next && html`<p class="soft">${next}</p>`}
        ${estimate && ESTIMATED.includes(code) && html`<p class="soft">${t('job.estimate')} <${Ago} at=${estimate} /></p>`}
      </div>
    </section>
  `;
}

const Failure = ({ data: { job, backtrace } }) => html`
  <${Card}
    title=${t('job.error')}
    aside=${job.attempts > 0 && html`<${Badge} kind="bad">${plural('attempts', job.attempts)}<//>`}
  >
    <p class="break"><strong class="bad">${job.error.type}</strong></p>
    <p class="break">${job.error.message}</p>
    ${backtrace?.length > 0 && html`<pre class="trace" tabindex="0" aria-label=${t('job.trace')}>${backtrace.join('\n')}</pre>`}
  <//>
`;

const Arguments = ({ list, cut, more }) => html`
  <${Card} title=${t('job.arguments')} aside=${list.some(({ cut }) => cut) && more}>
    ${
      list.length
        ? html`
          <ol class="arguments">
            ${list.map(
              ({ position, name, type, json, cut, masked }) => html`
                <li>
                  <span class="faint">${number(position + 1)}</span>
                  <div>
                    ${(name || type) && html`<p class="small soft">${name} <span class="faint">${type}</span></p>`}
                    ${masked ? html`<${Badge}>${t('job.masked')}<//>` : html`<code class="break">${json}${cut && '…'}</code>`}
                  </div>
                </li>
              `,
            )}
          </ol>
        `
        : html`<p class="soft">${t(cut ? 'job.arguments.cut' : 'job.no-arguments')}</p>`
    }
  <//>
`;

const Facts = ({ job, position }) => html`
  <${Card} title=${t('job.facts')}>
    <dl class="facts">
      <dt>${t('job.jid')}</dt>
      <dd><code>${job.jid ?? '–'}</code></dd>
      <dt>${t('column.queue')}</dt>
      <dd>${job.queue ?? '–'}</dd>
      ${position !== null && html`<dt>${t('job.position')}</dt><dd>${number(position + 1)}</dd>`}
      <dt>${t('job.size')}</dt>
      <dd>${bytes(job.bytes)}</dd>
    </dl>
  <//>
`;

function Times({ data: { job, running } }) {
  const times = [
    ['created', job.createdAt],
    ['enqueued', job.enqueuedAt],
    ['failed', job.failedAt, 'bad'],
    ['retried', job.retriedAt, 'bad'],
    ['running', running?.since],
    [job.place, job.place === 'queue' ? null : job.at],
  ].filter(([, at]) => at);
  return html`
    <${Card} title=${t('job.times')}>
      <ol class="timeline">
        ${times.map(
          ([name, at, kind]) => html`
            <li key=${name} class=${kind}><span class="soft">${t(`times.${name}`)}</span> <${Ago} at=${at} /></li>
          `,
        )}
      </ol>
    <//>
  `;
}

const Payload = ({ members }) => html`
  <${Card} title=${t('job.payload')}>
    <dl class="facts">
      ${members.map(({ name, json }) => html`<dt class="break">${name}</dt><dd><code>${json}</code></dd>`)}
    </dl>
  <//>
`;
