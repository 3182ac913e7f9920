/** One job: its place and the reason, its content, its error. */

import { actionName, actionsOf, attempt } from '../actions.js';
import { enqueueAgain, perform } from '../actions/hand-work.js';
import { get, mayAct, session } from '../api.js';
import { Ago, Badge, Button, Card, Empty, IconButton, Notice, PageHead } from '../basics.js';
import { BatchMembership } from '../batches/batch-parts.js';
import { Copy } from '../copy.js';
import { Loaded, useData } from '../data.js';
import { describe } from '../findings.js';
import { html, useRef, useState } from '../html.js';
import { bytes, number, plural, t } from '../i18n.js';
import { Icon } from '../icon.js';
import { Tags } from '../jobs/job-parts.js';
import { jobLink, jobName, placeLink, placeName } from '../jobs/places.js';
import { live, serverNow } from '../live.js';
import { Report } from '../results/report.js';
import { Retries } from '../retries/retries.js';
import { go } from '../router.js';
import { useStore } from '../store.js';
import { toast } from '../toast.js';
import { Timeline } from './attempts.js';
import { Arguments, Facts, Payload, Raw } from './job-content.js';
import { cancel, Elapsed, Stack } from './running.js';

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
  'order_key',
  'priority',
  'past_attempts',
];

/** The time that tells how fast a job moves up. */
const MOVES_MILLIS = 60_000;

export function Page({ query }) {
  const [full, setFull] = useState(false);
  const { place, queue, limit, of, key, jid, process, thread } = query;
  const numbers = useStore(live);
  // In full it may be megabytes, too much to reload every two seconds.
  const job = useData('job', { place, queue, limit, of, key, jid, process, thread, full: full || undefined }, full || numbers?.at);
  return html`
    ${!job.data && html`<${PageHead} title=${jid ?? t('column.job')} />`}
    <${Loaded} of=${job}>
      ${(data) =>
        data.job
          ? html`<${Found} data=${data} at=${{ limit, of }} full=${full} onFull=${setFull} />`
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
    ${batch && html`<${BatchMembership} member=${batch} />`}
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

/**
 * @param {{ data: any, at: { limit?: string, of?: string }, full?: boolean, onFull: (full: boolean) => void }} props
 *   at: of a parked job
 */
function Found({ data, at, full, onFull }) {
  const { job, running } = data;
  const [stack, setStack] = useState(false);
  const place = running ? 'running' : job.place;
  const parked = place === 'parked' ? at : {};
  const target = { place, queue: place === 'queue' ? job.queue : undefined, ...parked, keys: [job.key] };
  const allowed = actionsOf(place).filter((action) => data.actions.includes(action));
  // That no job is before it is irrelevant if no worker takes it.
  const reasons = data.waiting.filter(
    ({ code }, _, all) => code !== 'next' || !all.some((other) => ALARMING[other.code]),
  );
  const start = useStart(data);
  const estimate = reasons.some(({ code }) => ALARMING[code]) ? null : start;
  const members = data.payload.filter(({ name }) => !SHOWN_ABOVE.includes(name));
  const malformed = job.malformed && html`<${Badge} kind="bad">${t('job.malformed')}<//>`;
  const more = !full && html`<${Button} onClick=${() => onFull(true)}>${t('job.show-all', bytes(job.bytes))}<//>`;
  const cut = data.rawCut || data.argumentsCut || data.argumentsLeft > 0 || data.arguments.some((argument) => argument.cut);
  return html`
    <${PageHead}
      title=${jobName(job)}
      crumb=${html`<a href=${placeLink({ ...job, ...parked, place })}>${placeName({ ...job, ...parked, place })}</a>`}
      badges=${html`<span class="badges"><${Tags} tags=${job.tags} />${malformed}</span>`}
    >
      ${!running && place !== 'parked' && html`<${Neighbours} job=${job} />`}
      ${allowed.map(
        (action) => html`
          <${Button} onClick=${() => perform(action, target)}>${actionName(action, job.place)}<//>
        `,
      )}
      ${data.actions.includes('again') && mayAct() && session.get().features.enqueue && html`<${Button} onClick=${() => again(job)}>${t('action.again')}<//>`}
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
    ${reasons.map((reason) => html`<${Waiting} key=${reason.code} reason=${reason} estimate=${estimate} />`)}
    ${running && html`<${Runs} running=${running} job=${job} />`}
    ${job.error && html`<${Failure} data=${data} />`}
    <${Report} jid=${job.jid} />
    ${data.batch && html`<${BatchMembership} member=${data.batch} />`}
    ${!job.malformed && html`<${Arguments} list=${data.arguments} left=${data.argumentsLeft} cut=${data.argumentsCut} more=${more} />`}
    <div class="columns">
      <${Facts} job=${job} position=${data.position} runsAs=${data.runsAs} />
      ${!job.malformed && html`<${Timeline} data=${data} />`}
    </div>
    ${!job.malformed && html`<${Retries} job=${job} runsAs=${data.runsAs} members=${data.payload} />`}
    ${members.length > 0 && html`<${Payload} members=${members} />`}
    <${Raw} data=${data} more=${more} />
    ${stack && running && html`<${Stack} of=${{ ...running, job }} onClose=${() => setStack(false)} />`}
  `;
}

async function again(job) {
  if (await enqueueAgain({ ...job, name: jobName(job) })) go(placeLink(job));
}

/** Leads to the job before and behind this one in its place. */
function Neighbours({ job }) {
  const { place, queue, key } = job;
  const turnTo = (step) =>
    attempt(async () => {
      const found = await get('job/neighbour', { place, queue: place === 'queue' ? queue : undefined, key, step });
      if (found.job) go(jobLink(found.job));
      else toast(t(`job.${step}.none`));
    });
  return html`
    <span class="neighbours">
      <${IconButton} name="back" label=${t('job.previous')} onClick=${() => turnTo('previous')} />
      <${IconButton} name="forward" label=${t('job.next')} onClick=${() => turnTo('next')} />
    </span>
  `;
}

/**
 * When a job in a queue starts, if it goes on moving up as fast as it did in the last minute; null unless it has moved since it
 * is shown. Only that tells how many workers take from this queue, and what else they take.
 */
function useStart(data) {
  const seen = useRef({ data: null, points: [] });
  if (data !== seen.current.data) {
    const at = serverNow();
    const points = seen.current.points.filter((point) => point.at > at - MOVES_MILLIS && point.position >= data.position);
    seen.current = { data, points: data.position === null ? [] : [...points, { at, position: data.position }] };
  }
  const { points } = seen.current;
  if (points.length < 2) return null;
  const [first, last] = [points[0], points.at(-1)];
  const moved = first.position - last.position;
  return moved > 0 ? last.at + (last.position * (last.at - first.at)) / moved : null;
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
  cancelled: 'warn',
  'batch-cancelled': 'warn',
  expired: 'warn',
  replaced: 'warn',
};
/** Findings whose value is a time that the page shows beside the text. */
const TIMED = ['scheduled', 'retry', 'cancelled', 'expired'];
const ESTIMATED = ['behind', 'busy', 'next'];

function Waiting({ reason, estimate }) {
  const { code, values } = reason;
  const { title, next } = describe(`waiting.${code}`, reason);
  const due = code === 'scheduled' || code === 'retry' || code === 'lock' || code === 'debounced';
  return html`
    <section class="card waiting ${ALARMING[code] ?? ''}">
      <${Icon} name=${ALARMING[code] ? 'warning' : due ? 'scheduled' : 'info'} />
      <div>
        <p>
          <strong>${title}</strong>
          ${TIMED.includes(code) && html` <${Ago} at=${Number(values[0])} />`}
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
    aside=${html`
      <span class="row">
        ${job.attempts > 0 && html`<${Badge} kind="bad">${plural('attempts', job.attempts)}<//>`}
        <${Copy} text=${[`${job.error.type}: ${job.error.message}`, ...(backtrace ?? [])].join('\n')} of=${t('job.error')} />
      </span>
    `}
  >
    <p class="break"><strong class="bad">${job.error.type}</strong></p>
    <p class="break">${job.error.message}</p>
    ${backtrace?.length > 0 && html`<pre class="trace" tabindex="0" aria-label=${t('job.trace')}>${backtrace.join('\n')}</pre>`}
  <//>
`;
