/** The queues of all shards. One that is spread is one queue, whose shards can be shown below it. */

import { attempt } from '../actions.js';
import { mayAct, post } from '../api.js';
import { Badge, Card, Empty, PageHead } from '../basics.js';
import { Loaded } from '../data.js';
import { inDivision } from '../divisions.js';
import { html, useState } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { Icon } from '../icon.js';
import { Filters } from '../jobs/filters.js';
import { Pager } from '../pager.js';
import { QueueOrder, useQueues } from '../queues/queue-list.js';
import { PauseButton, QueueBadges } from '../queues/queue-table.js';
import { link } from '../router.js';
import { Steady } from '../steady.js';
import { SortHead, Table } from '../table.js';
import { toast } from '../toast.js';
import { doneExcept, MissingShards, ShardLink } from './shards.js';

export function Page({ query }) {
  const { queues, sort } = useQueues(query);
  return html`
    <${PageHead} title=${t('nav.queues')} lede=${t('lede.shards-queues')}>
      <${QueueOrder} sort=${sort} />
    <//>
    <div class="stack">
      ${(query.text || queues.data?.next) && html`<${Filters} query=${query} fields=${['text']} />`}
      <${Loaded} of=${queues}>${(list, wish) => html`
        <${MissingShards} of=${list.missing} />
        <${Card} flush><${Queues} list=${list} wish=${wish} sort=${sort} /><${Pager} list=${list} sized /><//>
      `}<//>
    </div>
  `;
}

function Queues({ list, wish, sort }) {
  const [opened, setOpened] = useState([]);
  if (!list.items.length) return html`<${Empty} icon="queues" title=${t('empty.queues')}>${t('empty.queues.next')}<//>`;
  const toggle = (name) => setOpened((last) => (last.includes(name) ? last.filter((each) => each !== name) : [...last, name]));
  return html`
    <${Steady} items=${list.items} idOf=${({ name }) => name} wish=${wish}>
      ${(items) => html`
        <${Table}>
          <thead>
            <tr>
              <${SortHead} name="name" sort=${sort}>${t('column.queue')}<//>
              <th>${t('column.shard')}</th>
              <${SortHead} name="size" sort=${sort} numeric>${t('column.size')}<//>
              <${SortHead} name="latency" sort=${sort} numeric>${t('column.latency')}<//>
              <th class="number">${t('column.workers')}</th>
              ${mayAct() && html`<th><span class="visually-hidden">${t('column.actions')}</span></th>`}
            </tr>
          </thead>
          <tbody>
            ${items.map((queue) => {
              const isOpen = opened.includes(queue.name);
              return [
                html`<${Merged} key=${queue.name} queue=${queue} isOpen=${isOpen} onToggle=${() => toggle(queue.name)} />`,
                ...(isOpen ? queue.shards.map((part) => html`<${Part} key=${`${queue.name} ${part.shard.name}`} of=${queue.name} part=${part} />`) : []),
              ];
            })}
          </tbody>
        <//>
      `}
    <//>
  `;
}

/** Of a queue in one shard its name leads to it; otherwise that of each shard does. */
function Merged({ queue, isOpen, onToggle }) {
  const { name, shards, size, latency, workers, paused, pausedIn, spread } = queue;
  const only = shards.length === 1 ? shards[0].shard : null;
  const page = link('queue', { name });
  return html`
    <tr>
      <td class="main">
        ${only ? html`<a class="name" href=${inDivision(only, page)}>${name}</a>` : html`<span class="name">${name}</span>`}
        ${spread && html` <${Badge} kind="accent">${t(`queue.spread.${spread}`)}<//>`}
        <${QueueBadges} queue=${queue} />
        ${!paused && pausedIn > 0 && html` <${Badge} kind="warn">${t('queue.paused-in', pausedIn, shards.length)}<//>`}
      </td>
      <td data-label=${t('column.shard')}>
        ${
          only
            ? html`<${ShardLink} shard=${only} page=${page} />`
            : html`
              <button type="button" class="button quiet expand" aria-expanded=${String(isOpen)}
                aria-label=${t('action.of', t('shards.count', shards.length), name)} onClick=${onToggle}>
                ${t('shards.count', shards.length)}<${Icon} name="forward" />
              </button>
            `
        }
      </td>
      <td class="number" data-label=${t('column.size')}>${number(size)}</td>
      <td class="number" data-label=${t('column.latency')}>${size ? duration(latency) : '–'}</td>
      <td class="number" data-label=${t('column.workers')}>${number(workers)}</td>
      ${mayAct() && html`<td class="does"><${Switch} queue=${name} paused=${paused} shards=${shards.map(({ shard }) => shard.name)} /></td>`}
    </tr>
  `;
}

function Part({ of, part: { shard, queue } }) {
  return html`
    <tr class="part">
      <td class="main">
        <a class="name" href=${inDivision(shard, link('queue', { name: of }))} aria-label=${t('action.of', of, shard.name)}>${shard.name}</a>
        ${queue && html`<${QueueBadges} queue=${queue} />`}
      </td>
      <td></td>
      <td class="number" data-label=${t('column.size')}>${queue ? number(queue.size) : '–'}</td>
      <td class="number" data-label=${t('column.latency')}>${queue?.size ? duration(queue.latency) : '–'}</td>
      <td class="number" data-label=${t('column.workers')}>${queue ? number(queue.workers) : '–'}</td>
      ${mayAct() && html`<td class="does">${queue && html`<${Switch} queue=${of} paused=${queue.paused} shards=${[shard.name]} of=${t('action.of', of, shard.name)} />`}</td>`}
    </tr>
  `;
}

/** Pauses a queue in shards, or resumes it. */
const Switch = ({ queue, paused, shards, of = queue }) =>
  html`<${PauseButton} paused=${paused} of=${of} onPause=${() => change('pause', queue, shards)} onResume=${() => change('resume', queue, shards)} />`;

const change = (action, queue, shards) =>
  attempt(async () => {
    const { missing } = await post(`queue/${action}`, { queue, shards });
    toast(doneExcept(t(`done.${action}`, queue), missing));
  });
