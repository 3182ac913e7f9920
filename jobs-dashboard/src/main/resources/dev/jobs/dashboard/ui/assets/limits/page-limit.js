/** One limit: its keys, and the jobs of a key that run or wait. */

import { act } from '../actions.js';
import { mayAct } from '../api.js';
import { Ago, Badge, Button, Card, Empty, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { jobLink, jobName } from '../jobs/places.js';
import { usePulse } from '../live.js';
import { link, refine } from '../router.js';
import { Table } from '../table.js';
import { Changed, LimitActions, OF_QUEUE, rateText, showJob } from './limit-parts.js';

const EVERY_MILLIS = 5_000;
const SIZE = 25;
/** The server lists so many keys at a time. */
const MOST_KEYS = 200;
export function Page({ query: { name, key: chosen, after, from } }) {
  const pulse = usePulse(EVERY_MILLIS);
  const ofQueue = name.startsWith(OF_QUEUE);
  const key = ofQueue ? '' : chosen;
  const limit = useData('limit', { name, after }, pulse);
  return html`
    <${PageHead}
      title=${name}
      crumb=${html`<a href="limits">${t('nav.limits')}</a>`}
      badges=${limit.data && html`<${Changed} of=${limit.data.limit.changed} />`}
    >
      ${limit.data && html`<${LimitActions} limit=${limit.data.limit} />`}
    <//>
    <div class="stack">
      <${Loaded} of=${limit}>
        ${({ limit: { concurrency, rate, held, waiting, longestWait }, keys }) => html`
          <dl class="card tiles">
            <div class="tile"><dt>${t(ofQueue ? 'limits.concurrency' : 'limits.concurrency.per-key')}</dt><dd class="value">${concurrency === null ? t('limits.any') : number(concurrency)}</dd></div>
            ${rate && html`<div class="tile"><dt>${t('limits.rate')}</dt><dd class="value">${rateText(rate)}</dd></div>`}
            ${rate && html`<div class="tile"><dt>${t('limits.burst')}</dt><dd class="value">${number(rate.burst)}</dd></div>`}
            <div class="tile"><dt>${t('limits.held')}</dt><dd class="value">${number(held)}</dd></div>
            <div class="tile"><dt>${t('limits.waiting')}</dt><dd class="value">${number(waiting)}</dd></div>
            <div class="tile"><dt>${t('limits.longest')}</dt><dd class="value">${waiting ? duration(longestWait) : '–'}</dd></div>
          </dl>
          ${!ofQueue && html`<${Keys} name=${name} keys=${keys} rate=${rate} after=${after} chosen=${key} />`}
        `}
      <//>
      ${key !== undefined && html`<${JobsOfKey} name=${name} of=${key} from=${Number(from ?? 0)} pulse=${pulse} />`}
    </div>
  `;
}

const keyName = (key) => key || t('limits.no-key');

function Keys({ name, keys, rate, after, chosen }) {
  if (!keys.length && !after)
    return html`<${Empty} icon="limits" title=${t('empty.limit')}>${t('empty.limit.next')}<//>`;
  return html`
    <${Card} title=${t('limits.keys')} flush>
      <${Table}>
        <thead>
          <tr>
            <th>${t('limits.key')}</th>
            <th class="number">${t('limits.held')}</th>
            <th class="number">${t('limits.waiting')}</th>
            <th class="number">${t('limits.longest')}</th>
            ${rate && html`<th class="number">${t('limits.next')}</th>`}
          </tr>
        </thead>
        <tbody>
          ${keys.map(
            ({ key, held, waiting, longestWait, nextStart }) => html`
              <tr key=${key} class=${key === chosen ? 'selected' : ''}>
                <td class="main"><a class="name" href=${link('limit', { name, after, key })}>${keyName(key)}</a></td>
                <td class="number" data-label=${t('limits.held')}>${number(held)}</td>
                <td class="number" data-label=${t('limits.waiting')}>${number(waiting)}</td>
                <td class="number" data-label=${t('limits.longest')}>${duration(longestWait)}</td>
                ${rate && html`<td class="number" data-label=${t('limits.next')}>${nextStart ? duration(nextStart) : t('limiters.free.now')}</td>`}
              </tr>
            `,
          )}
        </tbody>
      <//>
      <${Pages}
        first=${after && (() => refine({ after: null }))}
        next=${keys.length >= MOST_KEYS && (() => refine({ after: keys.at(-1).key }))}
      />
    <//>
  `;
}

/** Leafs through a list whose end is not known. @param {{ first: false | (() => void), next: false | (() => void) }} props */
const Pages = ({ first, next }) =>
  (first || next) &&
  html`
    <nav class="pager" aria-label=${t('pager.label')}>
      ${first && html`<${Button} onClick=${first}>${t('pager.start')}<//>`}
      ${next && html`<${Button} onClick=${next}>${t('pager.next')}<//>`}
    </nav>
  `;

function JobsOfKey({ name, of: key, from, pulse }) {
  const jobs = useData('limit/key', { name, key, from, size: SIZE }, pulse);
  return html`
    <${Loaded} of=${jobs}>
      ${({ holders, waiting, next }) => html`
        ${holders.length > 0 && html`<${Holders} name=${keyName(key)} holders=${holders} />`}
        ${waiting.length > 0 && html`<${Waiting} name=${keyName(key)} at=${{ name, key, from }} jobs=${waiting} next=${next} />`}
      `}
    <//>
  `;
}

const Holders = ({ name, holders }) => html`
  <${Card} title=${t('limits.holders', name)} flush>
    <${Table}>
      <thead>
        <tr>
          <th>${t('column.job')}</th>
          <th>${t('column.queue')}</th>
          <th>${t('limits.process')}</th>
          <th><span class="visually-hidden">${t('column.actions')}</span></th>
        </tr>
      </thead>
      <tbody>${holders.map((holder, i) => html`<${Holder} key=${holder.job?.id ?? i} holder=${holder} />`)}</tbody>
    <//>
  <//>
`;

const Waiting = ({ name, at, jobs, next }) => html`
  <${Card} title=${t('limits.parked', name)} flush>
    <${Table}>
      <thead>
        <tr>
          <th>${t('column.job')}</th>
          <th>${t('column.queue')}</th>
          <th>${t('column.enqueued')}</th>
          <th><span class="visually-hidden">${t('column.actions')}</span></th>
        </tr>
      </thead>
      <tbody>${jobs.map((job, i) => html`<${Parked} key=${`${job.id}-${i}`} at=${at} job=${job} />`)}</tbody>
    <//>
    <${Pages} first=${at.from > 0 && (() => refine({ from: null }))} next=${next !== null && (() => refine({ from: next }))} />
  <//>
`;

const Holder = ({ holder: { process, queue, job } }) => html`
  <tr>
    <td class="main"><${JobText} job=${job} /></td>
    <td data-label=${t('column.queue')}><${Badge}>${queue}<//></td>
    <td class="break" data-label=${t('limits.process')}><code>${process}</code></td>
    <td class="does">
      ${job?.jid && html`<${Button} kind="quiet" of=${jobName(job)} onClick=${() => showJob(job.jid)}>${t('action.show-job')}<//>`}
    </td>
  </tr>
`;

const Parked = ({ at, job }) => html`
  <tr>
    <td class="main"><${JobText} job=${job} href=${jobLink({ ...job, limit: at.name, of: at.key })} /></td>
    <td data-label=${t('column.queue')}><${Badge}>${job.queue ?? '–'}<//></td>
    <td data-label=${t('column.enqueued')}><${Ago} at=${job.enqueuedAt ?? job.createdAt} /></td>
    <td class="does">
      ${mayAct() && html`<${Button} kind="quiet" of=${jobName(job)} onClick=${() => act('delete', { place: 'parked', limit: at.name, of: at.key, keys: [job.key] })}>${t('action.delete')}<//>`}
    </td>
  </tr>
`;

/** A holder may have ended meanwhile; then its job is unknown. */
const JobText = ({ job, href }) =>
  job
    ? html`${href ? html`<a class="name" href=${href}>${jobName(job)}</a>` : html`<span class="name">${jobName(job)}</span>`} <span class="args">${job.args}</span> <span class="small faint mono">${job.jid}</span>`
    : '–';
