/** What keeps jobs waiting or from being stored: limits, limiters, and the locks of unique jobs. */

import { Card, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { Limiters } from '../limiters/limiters.js';
import { usePulse } from '../live.js';
import { link } from '../router.js';
import { Table } from '../table.js';
import { Locks } from '../unique/locks.js';
import { Changed, LimitActions, rateText } from './limit-parts.js';

const EVERY_MILLIS = 10_000;

export function Page({ query }) {
  const { job, key, limiter } = query;
  const pulse = usePulse(EVERY_MILLIS);
  const limits = useData('limits', {}, pulse);
  return html`
    <${PageHead} title=${t('nav.limits')} lede=${t('lede.limits')} />
    <div class="stack">
      <${Loaded} of=${limits}>${(list) => list.items.length > 0 && html`<${Limits} list=${list} />`}<//>
      <${Limiters} name=${limiter} pulse=${pulse} />
      <${Locks} of=${{ job, key }} pulse=${pulse} />
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
