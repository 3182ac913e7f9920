/** One batch: its jobs, what fails, what it waits for, the batches around it. */

import { attempt } from '../actions.js';
import { mayAct, post } from '../api.js';
import { Ago, Badge, Button, Card, PageHead } from '../basics.js';
import { Cells } from '../cells.js';
import { Loaded, useData } from '../data.js';
import { confirm, Dialog } from '../dialog.js';
import { describe } from '../findings.js';
import { html } from '../html.js';
import { duration, number, percent, plural, t } from '../i18n.js';
import { Icon } from '../icon.js';
import { Tags } from '../jobs/job-parts.js';
import { jobLink, jobName, placeName } from '../jobs/places.js';
import { live, serverNow, usePulse } from '../live.js';
import { refine } from '../router.js';
import { useStore } from '../store.js';
import { Table } from '../table.js';
import { toast } from '../toast.js';
import {
  BatchBadges,
  batchLink,
  ended,
  indexAt,
  jobNumber,
  JOB_STATES,
  JobState,
  Messages,
  progressText,
  rateText,
  remainingText,
  StateBar,
} from './batch-parts.js';

const SLOWLY_MILLIS = 10_000;
const WAIT_MILLIS = 4_000;
const MOST_LISTED = 10;
const NAMES = Object.fromEntries(Object.entries(JOB_STATES).map(([name, letter]) => [letter, name]));
const FAILING = ['retrying', 'failed', 'dead', 'lost'];

export function Page({ query }) {
  const { id } = query;
  const numbers = useStore(live);
  const slowly = usePulse(SLOWLY_MILLIS);
  const steadily = usePulse(WAIT_MILLIS);
  const one = useData('batch', { id }, numbers?.at);
  const over = one.data?.batch.finishedAt && !one.data.batch.counts.waiting && !one.data.batch.counts.retrying;
  const pulse = over ? slowly : steadily;
  return html`
    ${!one.data && html`<${PageHead} title=${t('batch.title')} lede=${id} />`}
    <${Loaded} of=${one}>
      ${(data) => html`
        <${Head} data=${data} />
        <${Wait} id=${id} />
        <${Progress} batch=${data.batch} />
        <${Field} id=${id} query=${query} pulse=${pulse} />
        ${FAILING.some((name) => data.batch.counts[name] > 0) && html`<${Failures} id=${id} />`}
        <${Jobs} id=${id} query=${query} pulse=${pulse} />
        <${Around} data=${data} />
        ${data.callbacks.length > 0 && html`<${Callbacks} callbacks=${data.callbacks} />`}
        <div class="columns">
          <${Facts} data=${data} />
          <${Times} data=${data} />
        </div>
      `}
    <//>
    ${query.job !== undefined && html`<${OneJob} key=${query.job} id=${id} index=${Number(query.job)} />`}
  `;
}

const Head = ({ data: { batch, actions } }) => html`
  <${PageHead}
    title=${batch.name}
    lede=${batch.description}
    crumb=${html`<a href="batches">${t('nav.batches')}</a>`}
    badges=${html`<span class="badges"><${BatchBadges} batch=${batch} /><${Tags} tags=${batch.tags} /></span>`}
  >
    ${mayAct() && actions.map((action) => html`<${Button} onClick=${() => act(action, batch)}>${t(`batch.action.${action}`)}<//>`)}
  <//>
`;

const unfinished = ({ counts }) => counts.waiting + counts.retrying;
/** How many jobs an action is about; without an entry all of them. */
const COUNTED = { retry: ({ counts }) => counts.dead, cancel: unfinished, audit: unfinished };

const act = (action, batch) =>
  attempt(async () => {
    const jobs = plural('jobs', COUNTED[action]?.(batch) ?? batch.counts.total);
    const verb = t(`batch.action.${action}`);
    const text = t(`batch.confirm.${action}`, jobs);
    if (!(await confirm({ title: t('confirm.title', verb, batch.name), text, verb, danger: action === 'cancel' }))) return;
    const answer = await post(`batch/${action}`, { id: batch.id });
    toast(action === 'audit' ? audited(answer) : answer.done ? t(`batch.done.${action}`, plural('jobs', answer.done)) : t('batch.done.nothing'));
  });

const audited = ({ checked, lost, dead, corrected, undecided }) =>
  [
    t('batch.done.audit', plural('jobs', checked), lost, dead + corrected),
    undecided > 0 && t('batch.done.audit.undecided', plural('jobs', undecided)),
  ]
    .filter(Boolean)
    .join(' ');

const ALARMING = { error: 'bad', warning: 'warn' };
const TIMED = ['retry', 'scheduled', 'abandoned'];

/** Why it is not finished. */
function Wait({ id }) {
  const wait = useData('batch/wait', { id }, usePulse(WAIT_MILLIS));
  if (!wait.data?.reasons.length) return null;
  const { reasons, running, waiting, partial } = wait.data;
  return html`
    <${Card} title=${t('batch.why')}>
      <ul class="reasons">
        ${reasons.map((reason) => html`<${Reason} key=${reason.code + reason.subject} reason=${reason} partial=${partial} />`)}
      </ul>
      ${
        running.length + waiting.length > 0 &&
        html`
        <details>
          <summary>${t('batch.why.jobs')}</summary>
          <ul class="found">
            ${running.map(({ process, thread, job }) => html`<${Found} job=${job} place=${{ place: 'running', process, thread }} />`)}
            ${waiting.map((job) => html`<${Found} job=${job} place=${job} />`)}
          </ul>
        </details>
      `
      }
    <//>
  `;
}

function Reason({ reason, partial }) {
  const { code, level, subject, values } = reason;
  const { title, next } = describe(`unfinished.${code}`, reason);
  const batch = code.startsWith('previous') && subject;
  return html`
    <li class=${ALARMING[level]}>
      <${Icon} name=${ALARMING[level] ? 'warning' : 'info'} />
      <div>
        <p>
          ${batch ? html`<a href=${batchLink(batch)}>${title}</a>` : title}
          ${TIMED.includes(code) && html` <${Ago} at=${Number(values[0])} />`}
          ${partial && (code === 'retry' || code === 'scheduled') && html` <span class="faint">${t('batch.why.partial')}</span>`}
        </p>
        ${next && html`<p class="soft">${next}</p>`}
      </div>
    </li>
  `;
}

const Found = ({ job, place }) => html`
  <li><a href=${jobLink({ ...job, ...place })}>${jobName(job)}</a> <${Badge}>${placeName({ ...job, ...place })}<//> <span class="args">${job.args}</span></li>
`;

function Progress({ batch }) {
  const { counts, createdAt, finishedAt, rate } = batch;
  const share = counts.total ? ended(counts) / counts.total : finishedAt ? 1 : 0;
  const tiles = [
    ['column.size', number(counts.total)],
    ['batch.ended', percent(counts.total ? Math.floor(share * 1000) / 1000 : share)],
    ['batch.rate', rateText(rate)],
    ['batch.remaining', remainingText(batch)],
    [finishedAt ? 'batch.took' : 'batch.age', duration((finishedAt ?? serverNow()) - createdAt)],
  ];
  return html`
    <section class="card">
      <dl class="tiles">
        ${tiles.map(([key, value]) => html`<div class="tile"><dt>${t(key)}</dt><dd class="value">${value}</dd></div>`)}
      </dl>
      <div class="body"><${StateBar} counts=${counts} /></div>
    </section>
  `;
}

/** A cell for each job, or for each group of neighbours; one of these can be enlarged. */
function Field({ id, query, pulse }) {
  const from = Number(query.at ?? 0);
  const most = query.at === undefined ? undefined : Number(query.most ?? 10_000);
  const field = useData('batch/field', { id, from, most }, pulse);
  if (field.data && !field.data.positions) return null;
  return html`
    <${Loaded} of=${field}>
      ${(data) => html`<${Card} title=${t('batch.field')} aside=${html`<${Zoom} data=${data} query=${query} />`}>
        <${Cells} field=${data} label=${labelOf(data)} describe=${(cell) => describeCell(data, cell)} onOpen=${(cell) => openCell(data, cell)} />
        <${Counts} counts=${data.counts} state=${query.state} />
        ${data.perCell > 1 && html`<p class="soft small">${t('batch.field.binned', data.perCell)}</p>`}
      <//>`}
    <//>
  `;
}

const labelOf = ({ counts }) =>
  t(
    'batch.field.label',
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${t(`batch.job-state.${name}`)}: ${number(count)}`)
      .join(', '),
  );

function describeCell({ cells, failing, from, perCell, given, positions }, cell) {
  const state = (letter) => (NAMES[letter] ? t(`batch.job-state.${NAMES[letter]}`) : t('batch.field.none'));
  const first = from + cell * perCell;
  if (perCell === 1) return `${jobNumber(indexAt(first, given))}: ${state(cells[cell])}`;
  const last = Math.min(first + perCell, positions) - 1;
  const mostly = t('batch.field.mostly', first, last, state(cells[cell]));
  return NAMES[failing[cell]] ? `${mostly} · ${t('batch.field.some', state(failing[cell]))}` : mostly;
}

function openCell({ from, perCell, given }, cell) {
  const position = from + cell * perCell;
  if (perCell === 1) refine({ job: indexAt(position, given) });
  else refine({ at: Math.max(position - 5_000, 0), most: 10_000 });
}

function Zoom({ data: { positions, from, perCell, cells }, query }) {
  const last = Math.min(from + perCell * cells.length, positions);
  if (query.at === undefined && last === positions) return null;
  const to = (at) => refine({ at, most: query.most ?? perCell * cells.length });
  return html`
    <span class="row">
      <span class="soft small">${t('pager.range', from, last - 1, positions)}</span>
      ${from > 0 && html`<${Button} onClick=${() => to(Math.max(from - perCell * cells.length, 0))}>${t('pager.back')}<//>`}
      ${last < positions && html`<${Button} onClick=${() => to(last)}>${t('pager.next')}<//>`}
      ${query.at !== undefined && html`<${Button} onClick=${() => refine({ at: null, most: null })}>${t('batch.field.all')}<//>`}
    </span>
  `;
}

/** The legend, which also says what the colours show, and filters the list of jobs. */
const Counts = ({ counts, state }) => html`
  <ul class="counts" aria-label=${t('batch.field.counts')}>
    ${Object.keys(JOB_STATES)
      .filter((name) => counts[name] > 0)
      .map(
        (name) => html`
          <li key=${name}>
            <button type="button" aria-pressed=${String(state === name)} onClick=${() => refine({ state: state === name ? null : name, from: null })}>
              <i class="state-${JOB_STATES[name]}"></i><span>${t(`batch.job-state.${name}`)} <b>${number(counts[name])}</b></span>
            </button>
          </li>
        `,
      )}
  </ul>
`;

function Failures({ id }) {
  const failures = useData('batch/failures', { id }, usePulse(WAIT_MILLIS));
  if (failures.data && !failures.data.groups.length) return null;
  return html`
    <${Loaded} of=${failures}>
      ${({ groups, partial, looked, total }) => html`
        <${Card} flush title=${t('batch.failures')}>
          <${Table}>
            <thead>
              <tr>
                <th>${t('batch.message')}</th>
                <th class="number">${t('column.count')}</th>
                <th class="number">${t('batch.retried')}</th>
                <th>${t('batch.example')}</th>
              </tr>
            </thead>
            <tbody>
              ${groups.map(
                ({ message, count, retried, sample }) => html`
                  <tr key=${message}>
                    <td class="main"><span class="cause">${message || t('batch.no-message')}</span></td>
                    <td class="number" data-label=${t('column.count')}><${Badge} kind="bad">${number(count)}<//></td>
                    <td class="number" data-label=${t('batch.retried')}>${retried ? number(retried) : '–'}</td>
                    <td><${JobButton} job=${sample} /> <${JobState} state=${sample.state} /></td>
                  </tr>
                `,
              )}
            </tbody>
          <//>
          ${partial && html`<p class="pager">${t('failures.partial', looked, total)}</p>`}
        <//>
      `}
    <//>
  `;
}

const JobButton = ({ job: { index } }) => html`
  <button type="button" class="textual" onClick=${() => refine({ job: index })}>${jobNumber(index)}</button>
`;

/** The jobs in the order of their indexes. */
function Jobs({ id, query, pulse }) {
  const state = query.state in JOB_STATES ? query.state : 'any';
  const jobs = useData('batch/jobs', { id, state, from: query.from, size: MOST_LISTED }, pulse);
  const choice = html`
    <select
      aria-label=${t('batch.jobs.state')}
      value=${state}
      onChange=${(event) => refine({ state: event.target.value === 'any' ? null : event.target.value, from: null })}
    >
      ${['any', ...Object.keys(JOB_STATES)].map((some) => html`<option value=${some}>${t(`batch.job-state.${some}`)}</option>`)}
    </select>
  `;
  return html`
    <${Loaded} of=${jobs}>
      ${({ items, next }) => html`
        <${Card} flush title=${t('batch.jobs')} aside=${choice}>
          ${
            items.length
              ? html`
                <${Table}>
                  <thead>
                    <tr>
                      <th>${t('column.job')}</th>
                      <th>${t('batches.state')}</th>
                      <th>${t('batch.messages')}</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${items.map(
                      (job) => html`
                        <tr key=${job.index}>
                          <td><${JobButton} job=${job} /></td>
                          <td><${JobState} state=${job.state} /></td>
                          <td class="main">
                            <span class="cause">${job.progress && `${progressText(job.progress)} `}${job.messages.at(-1)}</span>
                          </td>
                        </tr>
                      `,
                    )}
                  </tbody>
                <//>
              `
              : html`<p class="body soft">${t('batch.jobs.none')}</p>`
          }
          ${
            (query.from || next !== null) &&
            html`
            <nav class="pager" aria-label=${t('pager.label')}>
              ${query.from && html`<${Button} onClick=${() => refine({ from: null })}>${t('pager.start')}<//>`}
              ${next !== null && html`<${Button} onClick=${() => refine({ from: next })}>${t(items.length ? 'pager.next' : 'pager.search-on')}<//>`}
            </nav>
          `
          }
        <//>
      `}
    <//>
  `;
}

/** One job as the batch knows it, and where it is. */
function OneJob({ id, index }) {
  const jobs = useData('batch/jobs', { id, from: index, size: 1 }, usePulse(WAIT_MILLIS));
  const job = jobs.data?.items.find((some) => some.index === index);
  return html`
    <${Dialog} title=${jobNumber(index)} wide onClose=${() => refine({ job: null })}>
      <${Loaded} of=${jobs}>
        ${() =>
          job
            ? html`
              <dl class="facts">
                <dt>${t('batches.state')}</dt><dd><${JobState} state=${job.state} /></dd>
                <dt>${t('job.jid')}</dt><dd><code>${job.jid}</code></dd>
              </dl>
              <${Messages} job=${job} />
              ${job.result !== null && html`<p class="soft">${t('batch.result')}</p><pre>${job.result}</pre>`}
              <${Whereabouts} jid=${job.jid} />
            `
            : html`<p class="soft">${t('batch.job.none')}</p>`}
      <//>
      <footer><${Button} kind="primary" onClick=${() => refine({ job: null })}>${t('action.close')}<//></footer>
    <//>
  `;
}

/** An ended job is nowhere, except for a dead one. A search that ended early is repeated with the rest of the dialog. */
function Whereabouts({ jid }) {
  const places = useData('find', { jid }, usePulse(WAIT_MILLIS));
  const found = places.data?.found ?? [];
  if (!found.length) return null;
  return html`
    <p class="soft">${t('job.gone.now')}</p>
    <ul>
      ${found.map((some) => html`<li><a href=${jobLink({ ...some, jid })}>${some.name ?? jid}</a> <${Badge}>${placeName(some)}<//></li>`)}
    </ul>
  `;
}

/** Children below their parents; next batches after those that they wait for. */
function Around({ data: { batch, family } }) {
  const { ancestors, before, after, children, partial } = family;
  if (!ancestors.length && !before.length && !after.length && !children.length) return null;
  const here = html`
    <ul class="tree">
      ${before.map((some, i) => html`<li key=${some.id}><${Relative} batch=${some} then=${i > 0} /></li>`)}
      <li key=${batch.id}>
        <${Relative} batch=${batch} current then=${before.length > 0} />
        ${children.length > 0 && html`<ul>${children.map((some) => html`<li key=${some.id}><${Relative} batch=${some} /></li>`)}</ul>`}
        ${partial && html`<p class="soft small">${t('batch.family.partial')}</p>`}
      </li>
      ${after.map((some) => html`<li key=${some.id}><${Relative} batch=${some} then /></li>`)}
    </ul>
  `;
  return html`
    <${Card} title=${t('batch.family')}>
      ${ancestors.reduceRight((inner, some) => html`<ul class="tree"><li><${Relative} batch=${some} />${inner}</li></ul>`, here)}
    <//>
  `;
}

const Relative = ({ batch, current, then }) => html`
  <div class="relative">
    <span>
      ${then && html`<span class="faint">${t('batch.then')} </span>`}
      ${current ? html`<strong aria-current="page">${batch.name}</strong>` : html`<a href=${batchLink(batch.id)}>${batch.name}</a>`}
      ${' '}<${BatchBadges} batch=${batch} />
    </span>
    <${StateBar} counts=${batch.counts} />
    <span class="small soft">${t('batch.ended-of', ended(batch.counts), batch.counts.total)}</span>
  </div>
`;

const Callbacks = ({ callbacks }) => html`
  <${Card} flush title=${t('batch.callbacks')}>
    <${Table}>
      <thead>
        <tr>
          <th>${t('batch.event')}</th>
          <th>${t('column.job')}</th>
          <th>${t('column.queue')}</th>
          <th>${t('batches.state')}</th>
        </tr>
      </thead>
      <tbody>
        ${callbacks.map(
          ({ event, job, state, at }) => html`
            <tr key=${event}>
              <td>${t(`batch.event.${event}`)}${at && html` <span class="soft small"><${Ago} at=${at} /></span>`}</td>
              <td class="main"><span class="name">${jobName(job)}</span><span class="args">${job.args}</span></td>
              <td data-label=${t('column.queue')}><${Badge}>${job.queue ?? '–'}<//></td>
              <td><${JobState} state=${state} /></td>
            </tr>
          `,
        )}
      </tbody>
    <//>
  <//>
`;

function Facts({ data: { batch, toleratesFailures, toleratesSkipped, keepsResults, keptFor } }) {
  const policies = [
    toleratesFailures && 'batch.tolerates.failures',
    toleratesSkipped && 'batch.tolerates.skipped',
    keepsResults && 'batch.keeps-results',
  ].filter(Boolean);
  return html`
    <${Card} title=${t('job.facts')}>
      <dl class="facts">
        <dt>${t('job.jid')}</dt>
        <dd><code>${batch.id}</code></dd>
        <dt>${t('batch.owner')}</dt>
        <dd>${batch.createdBy || '–'}</dd>
        <dt>${t('batch.kept')}</dt>
        <dd>${keptFor === null ? t('batch.kept.default') : duration(keptFor)}</dd>
        <dt>${t('batch.policies')}</dt>
        <dd>${policies.length ? policies.map((key) => t(key)).join(' ') : '–'}</dd>
      </dl>
    <//>
  `;
}

function Times({ data: { batch, events } }) {
  const times = [
    [t('times.created'), batch.createdAt],
    ...Object.entries(events).map(([name, at]) => [t(`batch.event.${name}`), at, name === 'died' ? 'bad' : undefined]),
    [t('batch.state.cancelled'), batch.cancelledAt, 'bad'],
  ].filter(([, at]) => at);
  return html`
    <${Card} title=${t('job.times')}>
      <ol class="timeline">
        ${times.map(([name, at, kind]) => html`<li key=${name} class=${kind}><span class="soft">${name}</span> <${Ago} at=${at} /></li>`)}
      </ol>
    <//>
  `;
}
