/** Jobs that come again by a schedule. */

import { attempt } from './actions.js';
import { mayAct, post } from './api.js';
import { Ago, Badge, Button, Card, Empty, IconButton, PageHead } from './basics.js';
import { Loaded, useData } from './data.js';
import { Dialog } from './dialog.js';
import { html, useState } from './html.js';
import { t } from './i18n.js';
import { Pager } from './jobs-table.js';
import { live } from './live.js';
import { useStore } from './store.js';
import { toast } from './toast.js';

const EVERY_MILLIS = 10_000;

export function Page({ query }) {
  const numbers = useStore(live);
  const recurring = useData('recurring', { from: query.from }, numbers && Math.floor(numbers.at / EVERY_MILLIS));
  const [shown, setShown] = useState(null);
  return html`
    <${PageHead} title=${t('nav.recurring')} lede=${t('lede.recurring')} />
    <${Loaded} of=${recurring}>
      ${(list) =>
        list.items.length
          ? html`<${Card} flush><${Schedules} items=${list.items} onHistory=${setShown} /><${Pager} list=${list} /><//>`
          : html`<${Empty} icon="recurring" title=${t('empty.recurring')}>${t('empty.recurring.next')}<//>`}
    <//>
    ${shown && html`<${History} name=${shown} onClose=${() => setShown(null)} />`}
  `;
}

const Schedules = ({ items, onHistory }) => html`
  <table class="table folds">
    <thead>
      <tr>
        <th>${t('column.name')}</th>
        <th>${t('column.schedule')}</th>
        <th>${t('column.next')}</th>
        <th>${t('column.last')}</th>
        <th><span class="visually-hidden">${t('column.actions')}</span></th>
      </tr>
    </thead>
    <tbody>
      ${items.map((item) => html`<${Schedule} key=${item.name} item=${item} onHistory=${onHistory} />`)}
    </tbody>
  </table>
`;

function Schedule({
  item: { name, job, args, schedule, description, understood, paused, known, next, last },
  onHistory,
}) {
  const send = (action) =>
    attempt(async () => {
      await post(`recurring/${action}`, { name });
      toast(t(`done.recurring.${action}`, name));
    });
  return html`
    <tr>
      <td class="main">
        <span class="name">${name}</span>
        ${paused && html` <${Badge} kind="warn">${t('queue.paused')}<//>`}
        ${!understood && html` <${Badge} kind="warn">${t('recurring.ruby')}<//>`}
        ${!known && html` <${Badge}>${t('recurring.unknown')}<//>`}
        ${description && html`<span class="soft break"> ${description}</span>`}
        <span class="args">${job} ${args}</span>
      </td>
      <td data-label=${t('column.schedule')}><code class="break">${schedule}</code></td>
      <td data-label=${t('column.next')}>${!paused && html`<${Next} times=${next} />`}</td>
      <td data-label=${t('column.last')}><${Ago} at=${last} /></td>
      <td class="does">
        <${IconButton} name="scheduled" label=${t('action.history')} onClick=${() => onHistory(name)} />
        ${
          mayAct() &&
          html`
          <${IconButton} name="retries" label=${t('action.run')} onClick=${() => send('run')} />
          ${
            paused
              ? html`<${IconButton} name="run" label=${t('action.resume')} onClick=${() => send('resume')} />`
              : html`<${IconButton} name="pause" label=${t('action.pause')} onClick=${() => send('pause')} />`
          }
        `
        }
      </td>
    </tr>
  `;
}

const Next = ({ times }) => html`<ul>${times.slice(0, 3).map((at) => html`<li><${Ago} at=${at} /></li>`)}</ul>`;

function History({ name, onClose }) {
  const history = useData('recurring/history', { name });
  return html`
    <${Dialog} title=${t('recurring.history', name)} onClose=${onClose}>
      <${Loaded} of=${history}>
        ${({ items }) =>
          items.length
            ? html`
                <ol class="timeline">
                  ${items.map(
                    ({ at, jid }) => html`<li><${Ago} at=${at} /> <code class="faint break">${jid}</code></li>`,
                  )}
                </ol>
              `
            : html`<p class="soft">${t('recurring.history.none')}</p>`}
      <//>
      <footer><${Button} kind="primary" onClick=${onClose}>${t('action.close')}<//></footer>
    <//>
  `;
}
