/** One queue and its jobs. */

import { enqueueByHand, move } from '../actions/hand-work.js';
import { mayAct, session } from '../api.js';
import { Button, Card, Empty, Notice, PageHead, Segments } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { Filters, filtersOf } from '../jobs/filters.js';
import { JobsTable } from '../jobs/jobs-table.js';
import { live } from '../live.js';
import { isEmpty } from '../pager.js';
import { refine } from '../router.js';
import { useStore } from '../store.js';
import { Table } from '../table.js';
import { clear, pause, resume } from './queue-actions.js';
import { QueueBadges } from './queue-table.js';

const ORDERS = ['oldest', 'newest'];

export function Page({ query }) {
  const { name, order = 'oldest' } = query;
  const numbers = useStore(live);
  const queue = useData('queue', { name }, numbers?.at);
  return html`
    <${PageHead}
      title=${name}
      crumb=${html`<a href="queues">${t('nav.queues')}</a>`}
      badges=${queue.data && html`<${QueueBadges} queue=${queue.data} />`}
    >
      <${Segments}
        label=${t('order.label')}
        options=${ORDERS.map((some) => [some, t(`order.${some}`)])}
        value=${order}
        onChoose=${(next) => refine({ order: next, from: null })}
      />
      ${queue.data && mayAct() && html`<${Actions} queue=${queue.data} />`}
    <//>
    <${Loaded} of=${queue}>
      ${(some) => html`
        <dl class="card tiles">
          <div class="tile"><dt>${t('column.size')}</dt><dd class="value">${number(some.size)}</dd></div>
          <div class="tile"><dt>${t('column.latency')}</dt><dd class="value">${some.size ? duration(some.latency) : '–'}</dd></div>
          <div class="tile"><dt>${t('column.workers')}</dt><dd class="value">${number(some.workers)}</dd></div>
          ${some.order && html`<div class="tile"><dt>${t('queue.in-order')}</dt><dd class="value">${number(some.inOrder)}</dd></div>`}
        </dl>
        ${some.keys.length > 0 && html`<${Keys} keys=${some.keys} more=${some.keyCount - some.keys.length} />`}
        ${
          some.broken
            ? html`
                <${Notice} kind="error" title=${t('warning.queue-broken', name)}>
                  ${t('warning.queue-broken.next')} ${t('queue.broken.next')}
                <//>
              `
            : html`<${Jobs} queue=${some} order=${order} query=${query} pulse=${numbers?.at} />`
        }
      `}
    <//>
  `;
}

function Jobs({ queue: { name, size }, order, query, pulse }) {
  const { queue, cause, batch, ...matching } = filtersOf(query);
  const filtered = Object.values(matching).some(Boolean);
  const jobs = useData('jobs', { place: 'queue', queue: name, order, from: query.from, size: query.size, ...matching }, pulse);
  const sort = {
    by: 'time',
    turned: order === 'newest',
    onSort: () => refine({ order: order === 'newest' ? null : 'newest', from: null }),
  };
  return html`
    ${(size > 0 || filtered) && html`<${Filters} query=${{ ...matching }} fields=${['text', 'job']} rare=${['tag', 'since', 'until']} />`}
    <${Loaded} of=${jobs}>
      ${(list, wish, address) =>
        isEmpty(list)
          ? html`
              <${Empty} icon="queues" title=${t(filtered ? 'empty.filtered' : 'empty.queue')}>
                ${t(filtered ? 'empty.filtered.next' : 'empty.queue.next')}
              <//>
            `
          : html`
              <${JobsTable} place="queue" queue=${name} list=${list} wish=${wish} address=${address} matching=${matching} filtered=${filtered} sort=${sort} />
            `}
    <//>
  `;
}

/** The keys of a queue whose keys take turns: those whose last job has the longest way first. */
const Keys = ({ keys, more }) => html`
  <${Card} title=${t('queue.keys')} flush>
    <${Table}>
      <thead>
        <tr><th>${t('limits.key')}</th><th class="number">${t('queue.rounds')}</th></tr>
      </thead>
      <tbody>
        ${keys.map(
          ({ key, rounds }) => html`
            <tr key=${key}>
              <td class="main break">${key || t('limits.no-key')}</td>
              <td class="number" data-label=${t('queue.rounds')}>${number(rounds)}</td>
            </tr>
          `,
        )}
      </tbody>
    <//>
    ${more > 0 && html`<p class="body soft">${t('queue.keys.more', number(more))}</p>`}
  <//>
`;

const Actions = ({ queue }) => html`
  ${
    queue.paused
      ? html`<${Button} onClick=${() => resume(queue.name)}>${t('action.resume')}<//>`
      : html`<${Button} onClick=${() => pause(queue.name)}>${t('action.pause')}<//>`
  }
  ${session.get().features.enqueue && html`<${Button} onClick=${() => enqueueByHand(queue.name)}>${t('action.enqueue-job')}<//>`}
  ${queue.size > 0 && html`<${Button} onClick=${() => moveAll(queue)}>${t('action.move-all')}<//>`}
  <${Button} onClick=${() => clear(queue)}>${t('action.clear')}<//>
`;

const moveAll = ({ name, size }) => move({ place: 'queue', queue: name, matching: {}, count: size });
