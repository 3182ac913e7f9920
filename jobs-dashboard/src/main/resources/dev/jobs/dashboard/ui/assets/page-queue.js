/** One queue and its jobs. */

import { mayAct } from './api.js';
import { Button, Empty, Notice, PageHead, Segments } from './basics.js';
import { Loaded, useData } from './data.js';
import { Filters, filtersOf } from './filters.js';
import { html } from './html.js';
import { duration, number, t } from './i18n.js';
import { isEmpty, JobsTable } from './jobs-table.js';
import { live } from './live.js';
import { QueueBadges } from './page-queues.js';
import { clear, pause, resume } from './queue-actions.js';
import { refine } from './router.js';
import { useStore } from './store.js';

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
        </dl>
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
  const { text, job, error } = filtersOf(query);
  const matching = { text, job, error };
  const filtered = Boolean(text || job || error);
  const jobs = useData('jobs', { place: 'queue', queue: name, order, from: query.from, ...matching }, pulse);
  return html`
    ${(size > 0 || filtered) && html`<${Filters} query=${{ ...matching }} fields=${['text', 'job']} />`}
    <${Loaded} of=${jobs}>
      ${(list) =>
        isEmpty(list)
          ? html`
              <${Empty} icon="queues" title=${t(filtered ? 'empty.filtered' : 'empty.queue')}>
                ${t(filtered ? 'empty.filtered.next' : 'empty.queue.next')}
              <//>
            `
          : html`
              <${JobsTable} place="queue" queue=${name} list=${list} matching=${matching} filtered=${filtered} />
            `}
    <//>
  `;
}

const Actions = ({ queue }) => html`
  ${
    queue.paused
      ? html`<${Button} onClick=${() => resume(queue.name)}>${t('action.resume')}<//>`
      : html`<${Button} onClick=${() => pause(queue.name)}>${t('action.pause')}<//>`
  }
  <${Button} onClick=${() => clear(queue)}>${t('action.clear')}<//>
`;
