/** Limiters: what blocks of code may use, and how much of it is left. */

import { attempt } from '../actions.js';
import { mayAct, post } from '../api.js';
import { Badge, Button, Card, Empty, Meter } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { askNumber } from '../dialog.js';
import { html } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { Filters } from '../jobs/filters.js';
import { Changed } from '../limits/limit-parts.js';
import { Table } from '../table.js';
import { toast } from '../toast.js';

/** Of these, Redis remembers each use. */
const LISTED = ['concurrent', 'window'];
const MOST_LISTED = 10_000;
const MOST = 1_000_000_000;

/** @param {{ name?: string, pulse: unknown }} props name: of those that are sought */
export function Limiters({ name, pulse }) {
  const limiters = useData('limiters', { name }, pulse);
  const none = !limiters.data?.items.length && !name;
  if (limiters.data && none) return null;
  return html`
    ${limiters.data && html`<${Filters} query=${{ limiter: name }} fields=${['limiter']} label=${t('limiters.find')} />`}
    <${Loaded} of=${limiters}>
      ${({ items, partial }) =>
        items.length
          ? html`<${List} items=${items} partial=${partial} />`
          : html`<${Empty} icon="search" title=${t('limiters.none')}>${t('limiters.none.next')}<//>`}
    <//>
  `;
}

const List = ({ items, partial }) => html`
  <${Card} title=${t('limiters.title')} flush>
    <${Table}>
      <thead>
        <tr>
          <th>${t('column.name')}</th>
          <th>${t('limiters.kind')}</th>
          <th class="number">${t('limiters.used')}</th>
          <th><span class="visually-hidden">${t('column.share')}</span></th>
          <th class="number">${t('limiters.left')}</th>
          <th class="number">${t('limiters.free')}</th>
          <th><span class="visually-hidden">${t('column.actions')}</span></th>
        </tr>
      </thead>
      <tbody>${items.map((some) => html`<${Limiter} key=${`${some.kind} ${some.name}`} limiter=${some} />`)}</tbody>
    <//>
    ${partial && html`<p class="body soft">${t('limiters.more', items.length)}</p>`}
  <//>
`;

function Limiter({ limiter }) {
  const { kind, name, size, resized, used, freeIn } = limiter;
  return html`
    <tr>
      <td class="main"><span class="name">${name}</span> <${Changed} of=${resized} /></td>
      <td data-label=${t('limiters.kind')}><${Badge}>${t(`limiters.kind.${kind}`)}<//></td>
      <td class="number" data-label=${t('limiters.used')}>${t('limiters.used-of', used, size)}</td>
      <td class="share"><${Meter} share=${used / size} /></td>
      <td class="number" data-label=${t('limiters.left')}>${number(Math.max(Math.floor(size - used), 0))}</td>
      <td class="number" data-label=${t('limiters.free')}>${freeIn ? duration(freeIn) : t('limiters.free.now')}</td>
      <td class="does">${mayAct() && html`<${Actions} limiter=${limiter} />`}</td>
    </tr>
  `;
}

const Actions = ({ limiter }) => html`
  <${Button} kind="quiet" of=${labelOf(limiter)} onClick=${() => resize(limiter)}>${t('action.change')}<//>
  ${limiter.resized && html`<${Button} kind="quiet" of=${labelOf(limiter)} onClick=${() => reset(limiter)}>${t('action.reset')}<//>`}
`;

/** Limiters of different kinds may have one name. */
const labelOf = ({ kind, name }) => `${name} (${t(`limiters.kind.${kind}`)})`;

const resize = (limiter) =>
  attempt(async () => {
    const { kind, name, size: now } = limiter;
    const verb = t('action.change');
    const most = LISTED.includes(kind) ? MOST_LISTED : MOST;
    const size = await askNumber(t('confirm.title', verb, labelOf(limiter)), t('limiters.ask'), verb, now, most);
    if (size === null) return;
    await post('limiter/resize', { kind, name, size });
    toast(t('done.limiter.resize', name, size));
  });

const reset = ({ kind, name }) =>
  attempt(async () => {
    await post('limiter/reset', { kind, name });
    toast(t('done.limiter.reset', name));
  });
