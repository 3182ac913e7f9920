/** Batches and jobs that the application's database keeps, also after Redis has forgotten them. */

import { Ago, Badge, Button, Card, Empty, PageHead, Segments } from '../basics.js';
import { BatchBadges, batchLink, ended, jobNumber, JOB_STATES, JobState, Messages, StateBar } from '../batches/batch-parts.js';
import { Loaded, useData } from '../data.js';
import { Dialog } from '../dialog.js';
import { html, useRef } from '../html.js';
import { number, t } from '../i18n.js';
import { Filters } from '../jobs/filters.js';
import { Tags } from '../jobs/job-parts.js';
import { usePulse } from '../live.js';
import { go, link, refine, turn } from '../router.js';
import { Table } from '../table.js';

const EVERY_MILLIS = 5_000;

const BATCH_STATES = ['any', 'filling', 'waiting', 'running', 'cancelling', 'succeeded', 'finished', 'cancelled', 'gone'];
const JOB_CHOICES = ['any', ...Object.keys(JOB_STATES)];
const ORDERS = ['index', 'newest', 'ended'];

const BATCH_FIELDS = ['name', 'tag', 'owner', 'since', 'until'];
const JOB_FIELDS = ['message', 'job', 'queue', 'tag', 'since', 'until'];
/** The tag and the time of a batch are the same for all of its jobs. */
const FIELDS_OF_ONE = ['message', 'job', 'queue'];

const historyLink = (task) => link('history', { task });
const chosen = (value, among) => (among.includes(value) ? value : among[0]);

export function Page({ query }) {
  const one = query.task !== undefined;
  return html`
    ${one ? html`<${OneBatch} query=${query} />` : html`<${Everything} query=${query} />`}
    ${query.jid !== undefined && html`<${OneJob} key=${query.jid} jid=${query.jid} />`}
  `;
}

function Everything({ query }) {
  const jobs = query.view === 'jobs';
  const { tag, since, until } = query; // what both lists have
  return html`
    <${PageHead} title=${t('nav.history')} lede=${t('lede.history')}>
      <${Segments}
        label=${t('history.view')}
        options=${[
          ['batches', t('nav.batches')],
          ['jobs', t('batch.jobs')],
        ]}
        value=${jobs ? 'jobs' : 'batches'}
        onChoose=${(view) => go(link('history', { view: view === 'jobs' ? view : undefined, tag, since, until }))}
      />
    <//>
    ${jobs ? html`<${Jobs} query=${query} fields=${JOB_FIELDS} />` : html`<${Batches} query=${query} />`}
  `;
}

/** A list of one kind, under its filters and above the way to its next part. */
function List({ of, query, fields, choices, nothing, children }) {
  const filtered = fields.some((name) => query[name] !== undefined) || query.state !== undefined;
  return html`
    <div class="stack">
      <${Filters} query=${query} fields=${fields}>${choices}<//>
      <${Loaded} of=${of}>
        ${({ items, next }) =>
          items.length || query.after
            ? html`
              <${Card} flush>
                ${children(items)}
                <${Leaf} after=${query.after} next=${next} />
              <//>
            `
            : nothing(filtered)}
      <//>
    </div>
  `;
}

function Leaf({ after, next }) {
  if (!after && next === null) return null;
  return html`
    <nav class="pager" aria-label=${t('pager.label')}>
      ${after && html`<${Button} onClick=${() => turn({ after: null })}>${t('pager.start')}<//>`}
      ${next !== null && html`<${Button} onClick=${() => turn({ after: next })}>${t('pager.next')}<//>`}
    </nav>
  `;
}

/** A choice whose first option is the usual one, which the address leaves out. */
const Choice = ({ label, name, value, options, text }) => html`
  <label>
    <span class="visually-hidden">${label}</span>
    <select
      name=${name}
      value=${value}
      onChange=${({ target }) => refine({ [name]: target.value === options[0] ? null : target.value, after: null })}
    >
      ${options.map((option) => html`<option value=${option}>${text(option)}</option>`)}
    </select>
  </label>
`;

function Batches({ query }) {
  const { name, tag, owner, since, until, after } = query;
  const state = chosen(query.state, BATCH_STATES);
  const batches = useData('history/tasks', { name, state, tag, owner, from: since, until, after });
  const choices = html`
    <${Choice} label=${t('batches.state')} name="state" value=${state} options=${BATCH_STATES} text=${(some) => t(`batch.state.${some}`)} />
  `;
  const nothing = (filtered) =>
    filtered
      ? html`<${Empty} icon="search" title=${t('empty.batches.filtered')}>${t('empty.filtered.next')}<//>`
      : html`<${Empty} icon="history" title=${t('empty.history')}>${t('empty.history.next')}<//>`;
  return html`
    <${List} of=${batches} query=${query} fields=${BATCH_FIELDS} choices=${choices} nothing=${nothing}>
      ${(items) => html`
        <${Table}>
          <thead>
            <tr>
              <th>${t('batch.title')}</th>
              <th>${t('batches.state')}</th>
              <th>${t('column.size')}</th>
              <th>${t('times.created')}</th>
              <th>${t('batch.event.finished')}</th>
            </tr>
          </thead>
          <tbody>
            ${items.map((batch) => html`<${BatchRow} key=${batch.id} batch=${batch} />`)}
          </tbody>
        <//>
      `}
    <//>
  `;
}

const BatchRow = ({ batch }) => html`
  <tr>
    <td class="main">
      <a class="name" href=${historyLink(batch.id)}>${batch.name}</a>
      <${Tags} tags=${batch.tags} />
      <span class="args plain">${[batch.description, batch.createdBy].filter(Boolean).join(' · ')}</span>
    </td>
    <td><${BatchBadges} batch=${batch} /></td>
    <td class="share bar">
      <${StateBar} counts=${batch.counts} />
      <span class="small soft">${t('batch.ended-of', ended(batch.counts), batch.counts.total)}</span>
    </td>
    <td data-label=${t('times.created')}><${Ago} at=${batch.createdAt} /></td>
    <td data-label=${t('batch.event.finished')}><${Ago} at=${batch.finishedAt} /></td>
  </tr>
`;

/** A batch and its jobs. They change until they equal what Redis has. */
function OneBatch({ query }) {
  const { task } = query;
  const pulse = usePulse(EVERY_MILLIS);
  const complete = useRef(false);
  const revision = complete.current ? 'complete' : pulse;
  const one = useData('history/task', { id: task }, revision);
  complete.current = one.data?.task.complete ?? false;
  return html`
    ${!one.data && html`<${PageHead} title=${t('batch.title')} lede=${task} />`}
    <${Loaded} of=${one}>
      ${({ task: batch, live }) => html`
        <${BatchHead} batch=${batch} live=${live} />
        <${Jobs} query=${query} fields=${FIELDS_OF_ONE} revision=${revision} />
      `}
    <//>
  `;
}

const BatchHead = ({ batch, live }) => html`
  <${PageHead}
    title=${batch.name}
    lede=${batch.description}
    crumb=${html`<a href="history">${t('nav.history')}</a>`}
    badges=${html`<span class="badges"><${BatchBadges} batch=${batch} /><${Tags} tags=${batch.tags} /></span>`}
  >
    ${live && html`<a class="button" href=${batchLink(batch.id)}>${t('history.live')}</a>`}
  <//>
  <section class="card">
    <dl class="tiles">
      <div class="tile"><dt>${t('column.size')}</dt><dd class="value">${number(batch.counts.total)}</dd></div>
      <div class="tile"><dt>${t('batch.owner')}</dt><dd class="break">${batch.createdBy || '–'}</dd></div>
      <div class="tile"><dt>${t('times.created')}</dt><dd><${Ago} at=${batch.createdAt} /></dd></div>
      <div class="tile"><dt>${t('batch.event.finished')}</dt><dd><${Ago} at=${batch.finishedAt} /></dd></div>
      ${
        batch.parent &&
        html`<div class="tile"><dt>${t('history.parent')}</dt><dd><a href=${historyLink(batch.parent)}>${batch.parent}</a></dd></div>`
      }
    </dl>
    <div class="body">
      <${StateBar} counts=${batch.counts} />
      ${!batch.complete && html`<p class="soft small">${t('history.incomplete')}</p>`}
    </div>
  </section>
`;

function Jobs({ query, fields, revision }) {
  const { task, message, job, queue, tag, since, until, after } = query;
  const state = chosen(query.state, JOB_CHOICES);
  const order = task === undefined ? undefined : chosen(query.order, ORDERS);
  const jobs = useData(
    'history/jobs',
    { task, states: state === 'any' ? undefined : state, job, queue, tag, text: message, from: since, until, order, after },
    revision,
  );
  const choices = html`
    <${Choice} label=${t('batch.jobs.state')} name="state" value=${state} options=${JOB_CHOICES} text=${(some) => t(`batch.job-state.${some}`)} />
    ${order && html`<${Choice} label=${t('history.order')} name="order" value=${order} options=${ORDERS} text=${(some) => t(`history.order.${some}`)} />`}
  `;
  const nothing = (filtered) =>
    filtered || task !== undefined
      ? html`<${Empty} icon="search" title=${t('empty.filtered')}>${t('empty.filtered.next')}<//>`
      : html`<${Empty} icon="history" title=${t('empty.history')}>${t('empty.history.next')}<//>`;
  return html`
    <${List} of=${jobs} query=${query} fields=${fields} choices=${choices} nothing=${nothing}>
      ${(items) => html`
        <${Table}>
          <thead>
            <tr>
              <th>${t('column.job')}</th>
              <th>${t('batches.state')}</th>
              <th>${t('batch.messages')}</th>
              <th class="number">${t('history.attempts')}</th>
              <th>${t('history.ended')}</th>
              ${task === undefined && html`<th>${t('batch.title')}</th>`}
            </tr>
          </thead>
          <tbody>
            ${items.map((some) => html`<${JobRow} key=${some.jid} job=${some} alone=${task === undefined} />`)}
          </tbody>
        <//>
      `}
    <//>
  `;
}

const nameOf = ({ job, jid }) => job || jid;

const JobRow = ({ job, alone }) => html`
  <tr>
    <td class="main">
      <button type="button" class="textual break" aria-label="${nameOf(job)} ${job.jid}" onClick=${() => refine({ jid: job.jid })}>
        ${nameOf(job)}
      </button>
      <span class="args">${job.parameters}</span>
    </td>
    <td><${JobState} state=${job.state} /></td>
    <td class="main"><span class="cause">${job.messages.join(' · ')}</span></td>
    <td class="number" data-label=${t('history.attempts')}>${job.attempts ? number(job.attempts) : '–'}</td>
    <td data-label=${t('history.ended')}><${Ago} at=${job.endedAt} /></td>
    ${
      alone &&
      html`
      <td class="break" data-label=${t('batch.title')}>
        ${job.task ? html`<a href=${historyLink(job.task)}>${job.taskName ?? job.task}</a>` : '–'}
      </td>
    `
    }
  </tr>
`;

/** All that is known of one job. */
function OneJob({ jid }) {
  const one = useData('history/job', { jid });
  const close = () => refine({ jid: null });
  return html`
    <${Dialog} title=${one.data ? nameOf(one.data.job) : jid} wide onClose=${close}>
      <${Loaded} of=${one}>${({ job, live }) => html`<${JobFacts} job=${job} live=${live} />`}<//>
      <footer><${Button} kind="primary" onClick=${close}>${t('action.close')}<//></footer>
    <//>
  `;
}

const JobFacts = ({ job, live }) => html`
  <dl class="facts">
    <dt>${t('batches.state')}</dt>
    <dd><${JobState} state=${job.state} /></dd>
    <dt>${t('job.jid')}</dt>
    <dd><code>${job.jid}</code></dd>
    ${
      job.task &&
      html`
      <dt>${t('batch.title')}</dt>
      <dd>
        <a href=${historyLink(job.task)}>${job.taskName ?? job.task}</a> <span class="soft">${jobNumber(job.index)}</span>
        ${live && html` · <a href=${batchLink(job.task, { job: job.index })}>${t('history.live')}</a>`}
      </dd>
    `
    }
    <dt>${t('column.queue')}</dt>
    <dd>${job.queue ? html`<${Badge}>${job.queue}<//>` : '–'}</dd>
    <dt>${t('history.attempts')}</dt>
    <dd>${job.attempts ? number(job.attempts) : '–'}</dd>
    <dt>${t('times.created')}</dt>
    <dd><${Ago} at=${job.createdAt} /></dd>
    <dt>${t('history.started')}</dt>
    <dd><${Ago} at=${job.startedAt} /></dd>
    <dt>${t('history.ended')}</dt>
    <dd><${Ago} at=${job.endedAt} /></dd>
    ${job.errorClass && html`<dt>${t('column.error')}</dt><dd><code>${job.errorClass}</code></dd>`}
  </dl>
  <${Messages} job=${{ messages: job.messages, progress: null }} />
  ${job.parameters !== null && html`<p class="soft">${t('job.arguments')}</p><pre>${job.parameters}</pre>`}
  ${job.result !== null && html`<p class="soft">${t('batch.result')}</p><pre>${job.result}</pre>`}
`;
