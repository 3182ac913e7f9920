/** A list of queues. */

import { mayAct } from '../api.js';
import { Badge, Empty, IconButton, Meter } from '../basics.js';
import { html } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { link } from '../router.js';
import { Steady } from '../steady.js';
import { SortHead, Table } from '../table.js';
import { pause, resume } from './queue-actions.js';

/**
 * @param {{ queues: any[], wish?: string, acts?: boolean, sort?: import('../table.js').Sort }} props acts: with buttons to pause
 *     and resume; sort: how they are sorted, if that can be chosen
 */
export const QueueTable = ({ queues, wish, acts, sort }) =>
  queues.length
    ? html`
        <${Steady} items=${queues} idOf=${({ name }) => name} wish=${wish}>
          ${(shown) => html`<${Rows} queues=${shown} acts=${acts} sort=${sort} />`}
        <//>
      `
    : html`<${Empty} icon="queues" title=${t('empty.queues')}>${t('empty.queues.next')}<//>`;

function Rows({ queues, acts, sort }) {
  const most = Math.max(...queues.map(({ size }) => size), 1);
  const buttons = acts && mayAct();
  return html`
    <${Table}>
      <thead>
        <tr>
          <${SortHead} name="name" sort=${sort}>${t('column.queue')}<//>
          <${SortHead} name="size" sort=${sort} numeric>${t('column.size')}<//>
          <th><span class="visually-hidden">${t('column.share')}</span></th>
          <${SortHead} name="latency" sort=${sort} numeric>${t('column.latency')}<//>
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
                  <${PauseButton} paused=${queue.paused} of=${queue.name} onPause=${() => pause(queue.name)} onResume=${() => resume(queue.name)} />
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

/** Pauses a queue, or resumes it. */
export const PauseButton = ({ paused, of, onPause, onResume }) =>
  paused
    ? html`<${IconButton} name="resume" label=${t('action.resume')} of=${of} onClick=${onResume} />`
    : html`<${IconButton} name="pause" label=${t('action.pause')} of=${of} onClick=${onPause} />`;

export const QueueBadges = ({ queue: { paused, broken, workers, size, order } }) => html`
  ${order && html` <${Badge} kind="accent">${t(`queue.order.${order}`)}<//>`}
  ${paused && html` <${Badge} kind="warn">${t('queue.paused')}<//>`}
  ${broken && html` <${Badge} kind="bad">${t('queue.broken')}<//>`}
  ${!workers && size > 0 && html` <${Badge} kind="bad">${t('queue.unserved')}<//>`}
`;
