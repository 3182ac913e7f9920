/** What keeps jobs waiting or from being stored: limits, limiters, and the locks of unique jobs. */

import { attempt } from './actions.js';
import { mayAct, post } from './api.js';
import { Badge, Button, Card, Empty, PageHead } from './basics.js';
import { Loaded, useData } from './data.js';
import { confirm } from './dialog.js';
import { Filters } from './filters.js';
import { html } from './html.js';
import { duration, number, t } from './i18n.js';
import { Changed, LimitActions, rateText, showJob } from './limit-parts.js';
import { Limiters } from './limiters.js';
import { usePulse } from './live.js';
import { link } from './router.js';
import { Table } from './table.js';
import { toast } from './toast.js';

const EVERY_MILLIS = 10_000;

/** There may be more locks than the page shows, and only a digest of their keys is stored: so one looks for a key. */
export function Page({ query }) {
  const { job, key, limiter } = query;
  const pulse = usePulse(EVERY_MILLIS);
  const limits = useData('limits', {}, pulse);
  const locks = useData('locks', { job, key: job && key }, pulse);
  return html`
    <${PageHead} title=${t('nav.limits')} lede=${t('lede.limits')} />
    <div class="stack">
      <${Loaded} of=${limits}>${(list) => list.items.length > 0 && html`<${Limits} list=${list} />`}<//>
      <${Limiters} name=${limiter} pulse=${pulse} />
      <${Filters} query=${{ job, key }} fields=${['job', 'key']} label=${t('locks.find')} />
      <${Loaded} of=${locks}>${(list) => html`<${Locks} list=${list} searched=${job ? { job, key } : null} />`}<//>
    </div>
  `;
}

const Limits = ({ list: { items, total } }) => html`
  <${Card} title=${t('limits.title')} flush>
    <${Table}>
      <thead>
        <tr>
          <th>${t('column.name')}</th>
          <th class="number">${t('limits.concurrency.per-key')}</th>
          <th class="number">${t('limits.rate')}</th>
          <th class="number">${t('limits.held')}</th>
          <th class="number">${t('limits.waiting')}</th>
          <th class="number">${t('limits.longest')}</th>
          <th><span class="visually-hidden">${t('column.actions')}</span></th>
        </tr>
      </thead>
      <tbody>${items.map((limit) => html`<${Limit} key=${limit.name} limit=${limit} />`)}</tbody>
    <//>
    ${total > items.length && html`<p class="body soft">${t('limits.more', items.length, total)}</p>`}
  <//>
`;

const Limit = ({ limit }) => {
  const { name, concurrency, rate, changed, held, waiting, longestWait } = limit;
  return html`
    <tr>
      <td class="main"><a class="name" href=${link('limit', { name })}>${name}</a> <${Changed} of=${changed} /></td>
      <td class="number" data-label=${t('limits.concurrency.per-key')}>${concurrency === null ? t('limits.any') : number(concurrency)}</td>
      <td class="number" data-label=${t('limits.rate')}>${rateText(rate)}</td>
      <td class="number" data-label=${t('limits.held')}>${number(held)}</td>
      <td class="number" data-label=${t('limits.waiting')}>${number(waiting)}</td>
      <td class="number" data-label=${t('limits.longest')}>${waiting ? duration(longestWait) : '–'}</td>
      <td class="does"><${LimitActions} limit=${limit} /></td>
    </tr>
  `;
};

function Locks({ list: { items, partial }, searched }) {
  if (!items.length) {
    const texts = searched ? ['locks.free', 'locks.free.next'] : ['empty.locks', 'empty.locks.next'];
    return html`<${Empty} icon="limits" title=${t(texts[0])}>${t(texts[1])}<//>`;
  }
  return html`
    <${Card} title=${t('locks.title')} flush>
      <${Table}>
        <thead>
          <tr>
            <th>${t('locks.holder')}</th>
            <th>${t('locks.name')}</th>
            <th>${t('locks.left')}</th>
            <th><span class="visually-hidden">${t('column.actions')}</span></th>
          </tr>
        </thead>
        <tbody>${items.map((lock) => html`<${Lock} key=${lock.digest ?? lock.holder} lock=${lock} searched=${searched} />`)}</tbody>
      <//>
      ${partial && html`<p class="body soft">${t('locks.more', items.length)}</p>`}
    <//>
  `;
}

/** Without a digest, which would tell of masked arguments, a lock is known by the key that was looked for, or by its holder. */
const Lock = ({ lock: { digest, holder, left }, searched }) => html`
  <tr>
    <td class="main"><code class="break">${holder}</code></td>
    <td data-label=${t('locks.name')}><code class="faint break">${digest ?? '•••'}</code></td>
    <td data-label=${t('locks.left')}>${left === null ? html`<${Badge} kind="warn">${t('locks.endless')}<//>` : duration(left)}</td>
    <td class="does">
      <${Button} kind="quiet" of=${holder} onClick=${() => showJob(holder)}>${t('action.show-job')}<//>
      ${mayAct() && html`<${Button} kind="quiet" of=${holder} onClick=${() => release(digest ? { digest, holder } : { ...searched, holder })}>${t('action.release')}<//>`}
    </td>
  </tr>
`;

async function release(lock) {
  const { holder } = lock;
  const verb = t('action.release');
  const sure = await confirm({
    title: t('confirm.title', verb, holder),
    text: t('confirm.release', holder),
    verb,
    danger: true,
  });
  if (!sure) return;
  await attempt(async () => {
    const { changed } = await post('lock/release', lock);
    toast(t(changed ? 'done.release' : 'done.release.gone', holder));
  });
}
