/** All queues. */

import { mayAct } from './api.js';
import { Badge, Card, Empty, IconButton, Meter, PageHead, Segments } from './basics.js';
import { Loaded, useData } from './data.js';
import { Filters } from './filters.js';
import { html } from './html.js';
import { duration, number, t } from './i18n.js';
import { Pager } from './jobs-table.js';
import { live } from './live.js';
import { pause, resume } from './queue-actions.js';
import { link, refine } from './router.js';
import { useStore } from './store.js';
import { Table } from './table.js';

export function Page({ query }) {
  const numbers = useStore(live);
  const sort = query.sort ?? 'name';
  const queues = useData('queues', { from: query.from, text: query.text, sort }, numbers?.at);
  const sorts = ['name', 'size', 'latency'].map((name) => [name, t(`sort.${name}`)]);
  return html`
    <${PageHead} title=${t('nav.queues')} lede=${t('lede.queues')}>
      <${Segments}
        label=${t('sort.label')}
        options=${sorts}
        value=${sort}
        onChoose=${(next) => refine({ sort: next, from: null })}
      />
    <//>
    <div class="stack">
      ${(query.text || queues.data?.next) && html`<${Filters} query=${query} fields=${['text']} />`}
      <${Loaded} of=${queues}>${(list) => html`<${Card} flush><${QueueTable} queues=${list.items} acts /><${Pager} list=${list} /><//>`}<//>
    </div>
  `;
}

/** @param {{ queues: any[], acts?: boolean }} props acts: with buttons to pause and resume */
export function QueueTable({ queues, acts }) {
  if (!queues.length) return html`<${Empty} icon="queues" title=${t('empty.queues')}>${t('empty.queues.next')}<//>`;
  const most = Math.max(...queues.map(({ size }) => size), 1);
  const buttons = acts && mayAct();
  return html`
    <${Table}>
      <thead>
        <tr>
          <th>${t('column.queue')}</th>
          <th class="number">${t('column.size')}</th>
          <th><span class="visually-hidden">${t('column.share')}</span></th>
          <th class="number">${t('column.latency')}</th>
          <th class="number">${t('column.workers')}</th>
          ${buttons && html`<th><span class="visually-hidden">${t('column.actions')}</span></th>`}
        </tr>
      </thead>
      <tbody>
        ${queues.map(
          (queue) => html`
            <tr key=${queue.name}>
              <td class="main">
                <a class="name" href=${link('queue', { name: queue.name })}>${queue.name}</a>
                <${QueueBadges} queue=${queue} />
              </td>
              <td class="number" data-label=${t('column.size')}>${number(queue.size)}</td>
              <td class="share"><${Meter} share=${queue.size / most} /></td>
              <td class="number" data-label=${t('column.latency')}>${queue.size ? duration(queue.latency) : '–'}</td>
              <td class="number" data-label=${t('column.workers')}>${number(queue.workers)}</td>
              ${
                buttons &&
                html`
                <td class="does">
                  ${
                    queue.paused
                      ? html`<${IconButton} name="run" label=${t('action.resume')} of=${queue.name} onClick=${() => resume(queue.name)} />`
                      : html`<${IconButton} name="pause" label=${t('action.pause')} of=${queue.name} onClick=${() => pause(queue.name)} />`
                  }
                </td>
              `
              }
            </tr>
          `,
        )}
      </tbody>
    <//>
  `;
}

export const QueueBadges = ({ queue: { paused, broken, workers, size } }) => html`
  ${paused && html` <${Badge} kind="warn">${t('queue.paused')}<//>`}
  ${broken && html` <${Badge} kind="bad">${t('queue.broken')}<//>`}
  ${!workers && size > 0 && html` <${Badge} kind="bad">${t('queue.unserved')}<//>`}
`;
