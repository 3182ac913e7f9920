/** One limit: its keys, and the jobs of a key that run or wait. */

import { attempt } from './actions.js';
import { mayAct, post } from './api.js';
import { Ago, Badge, Button, Card, Empty, PageHead } from './basics.js';
import { Loaded, useData } from './data.js';
import { confirm } from './dialog.js';
import { html } from './html.js';
import { duration, number, t } from './i18n.js';
import { Changed, LimitActions, showJob } from './limit-parts.js';
import { usePulse } from './live.js';
import { jobName } from './places.js';
import { link, refine } from './router.js';
import { Table } from './table.js';
import { toast } from './toast.js';

const EVERY_MILLIS = 5_000;
const SIZE = 25;
/** The server lists so many keys at a time. */
const MOST_KEYS = 200;

export function Page({ query: { name, key, after, from } }) {
  const pulse = usePulse(EVERY_MILLIS);
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
        ${({ limit: { concurrency, held, waiting, longestWait }, keys }) => html`
          <dl class="card tiles">
            <div class="tile"><dt>${t('limits.concurrency')}</dt><dd class="value">${concurrency === null ? t('limits.any') : number(concurrency)}</dd></div>
            <div class="tile"><dt>${t('limits.held')}</dt><dd class="value">${number(held)}</dd></div>
            <div class="tile"><dt>${t('limits.waiting')}</dt><dd class="value">${number(waiting)}</dd></div>
            <div class="tile"><dt>${t('limits.longest')}</dt><dd class="value">${waiting ? duration(longestWait) : '–'}</dd></div>
          </dl>
          <${Keys} name=${name} keys=${keys} after=${after} chosen=${key} />
        `}
      <//>
      ${key !== undefined && html`<${JobsOfKey} name=${name} of=${key} from=${Number(from ?? 0)} pulse=${pulse} />`}
    </div>
  `;
}

const keyName = (key) => key || t('limits.no-key');

function Keys({ name, keys, after, chosen }) {
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
          </tr>
        </thead>
        <tbody>
          ${keys.map(
            ({ key, held, waiting, longestWait }) => html`
              <tr key=${key} class=${key === chosen ? 'selected' : ''}>
                <td class="main"><a class="name" href=${link('limit', { name, after, key })}>${keyName(key)}</a></td>
                <td class="number" data-label=${t('limits.held')}>${number(held)}</td>
                <td class="number" data-label=${t('limits.waiting')}>${number(waiting)}</td>
                <td class="number" data-label=${t('limits.longest')}>${duration(longestWait)}</td>
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
      ${({ holders, waiting, more }) => html`
        ${holders.length > 0 && html`<${Holders} name=${keyName(key)} holders=${holders} />`}
        ${waiting.length > 0 && html`<${Waiting} name=${keyName(key)} at=${{ name, key, from }} jobs=${waiting} more=${more} />`}
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

const Waiting = ({ name, at, jobs, more }) => html`
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
    <${Pages} first=${at.from > 0 && (() => refine({ from: null }))} next=${more && (() => refine({ from: at.from + SIZE }))} />
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
    <td class="main"><${JobText} job=${job} /></td>
    <td data-label=${t('column.queue')}><${Badge}>${job.queue ?? '–'}<//></td>
    <td data-label=${t('column.enqueued')}><${Ago} at=${job.enqueuedAt ?? job.createdAt} /></td>
    <td class="does">
      ${mayAct() && job.jid && html`<${Button} kind="quiet" of=${jobName(job)} onClick=${() => remove(at, job)}>${t('action.delete')}<//>`}
    </td>
  </tr>
`;

/** A holder may have ended meanwhile; then its job is unknown. */
const JobText = ({ job }) =>
  job
    ? html`<span class="name">${jobName(job)}</span> <span class="args">${job.args}</span> <span class="small faint mono">${job.jid}</span>`
    : '–';

/** @param {{ name: string, key: string, from: number }} at where the job is shown */
async function remove(at, job) {
  const verb = t('action.delete');
  const sure = await confirm({
    title: t('confirm.title', verb, jobName(job)),
    text: t('confirm.delete-parked', jobName(job)),
    verb,
    danger: true,
  });
  if (!sure) return;
  await attempt(async () => {
    const { changed } = await post('limit/delete', { ...at, jid: job.jid });
    toast(t(changed ? 'done.delete-parked' : 'done.parked.gone', jobName(job)));
  });
}
