/** The timeline of one job: its attempts, and what it waits for. */

import { Ago, Card } from '../basics.js';
import { html } from '../html.js';
import { duration, plural, t } from '../i18n.js';
import { shortType } from '../jobs/job-parts.js';
import { serverNow } from '../live.js';
import { Elapsed } from './running.js';

/**
 * @typedef {{ at: number, waited: number, ran: number, process: string, error: string, message: string }} Attempt
 */

/**
 * @param {{ data: { job: any, running: any, attempts: Attempt[], recoveries: number } }} props recoveries: how often its worker
 *     died while it ran
 */
export function Timeline({ data: { job, running, attempts, recoveries } }) {
  const waits = running && job.enqueuedAt && running.since ? Math.max(running.since - job.enqueuedAt, 0) : 0;
  const longest = Math.max(1, waits, ...attempts.map(({ waited, ran }) => waited + ran));
  const unknown = Math.max(job.attempts - attempts.length, 0);
  const isWaiting = job.place === 'queue' || job.place === 'parked';
  const isDue = !isWaiting && !running && job.at;
  return html`
    <${Card} title=${t('job.timeline')}>
      <ol class="timeline attempts">
        <${Moment} name="created" at=${job.createdAt} />
        ${unknown > 0 && html`<${Unknown} count=${unknown} job=${job} all=${attempts.length === 0} />`}
        ${attempts.map(
          (attempt, i) => html`<${Failed} key=${attempt.at} number=${unknown + i + 1} attempt=${attempt} longest=${longest} />`,
        )}
        ${recoveries > 0 && html`<li class="bad">${plural('attempts.recovered', recoveries)}</li>`}
        ${isWaiting && html`<${Moment} name="enqueued" at=${job.enqueuedAt} />`}
        ${running && html`<${Now} number=${job.attempts + 1} running=${running} waited=${waits} longest=${longest} />`}
        ${isDue && html`<${Moment} name=${job.place} at=${job.at} />`}
      </ol>
    <//>
  `;
}

const Moment = ({ name, at }) => at && html`<li><span class="soft">${t(`times.${name}`)}</span> <${Ago} at=${at} /></li>`;

/** Attempts of Ruby's workers, and those for which there was no room. */
const Unknown = ({ count, job, all }) => html`
  <li class="bad">
    ${plural('attempts.unknown', count)}
    ${all && html`<br /><span class="soft">${t('times.failed')}</span> <${Ago} at=${job.failedAt} />`}
    ${all && job.retriedAt && html`<br /><span class="soft">${t('times.retried')}</span> <${Ago} at=${job.retriedAt} />`}
  </li>
`;

const Failed = ({ number, attempt: { at, waited, ran, process, error, message }, longest }) => html`
  <li class="bad">
    <strong>${t('attempts.failed', number)}</strong> <span class="soft"><${Ago} at=${at} /></span>
    <${Span} waited=${waited} ran=${ran} longest=${longest} />
    <p class="small soft break">${t('attempts.times', duration(waited), duration(ran))} · <code>${process}</code></p>
    <p class="break"><span class="bad" title=${error}>${shortType(error)}</span> ${message}</p>
  </li>
`;

const Now = ({ number, running: { process, since }, waited, longest }) => html`
  <li class="now">
    <strong>${t('attempts.running', number)}</strong> <span class="soft"><${Ago} at=${since} /></span>
    <${Span} waited=${waited} ran=${Math.max(serverNow() - since, 0)} longest=${longest} />
    <p class="small soft break">${t('attempts.times.now', duration(waited))} <${Elapsed} since=${since} /> · <code>${process}</code></p>
  </li>
`;

/** How long it waited and ran, compared with the longest attempt. */
const Span = ({ waited, ran, longest }) => html`
  <span class="span" aria-hidden="true">
    <i class="waited" style=${{ width: part(waited, longest) }}></i><i class="ran" style=${{ width: part(ran, longest) }}></i>
  </span>
`;

const part = (millis, longest) => `${Math.min((millis / longest) * 100, 100).toFixed(2)}%`;
