/** The locks of unique jobs. */

import { attempt } from '../actions.js';
import { mayAct, post } from '../api.js';
import { Badge, Button, Card, Empty } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { confirm } from '../dialog.js';
import { html } from '../html.js';
import { duration, t } from '../i18n.js';
import { Filters } from '../jobs/filters.js';
import { showJob } from '../limits/limit-parts.js';
import { Table } from '../table.js';
import { toast } from '../toast.js';

/** There may be more of them than the page shows, and only a digest of their keys is stored: so one looks for a key. */
export function Locks({ of: { job, key }, pulse }) {
  const locks = useData('locks', { job, key: job && key }, pulse);
  return html`
    <${Filters} query=${{ job, key }} fields=${['job', 'key']} label=${t('locks.find')} />
    <${Loaded} of=${locks}>${(list) => html`<${List} list=${list} searched=${job ? { job, key } : null} />`}<//>
  `;
}

function List({ list: { items, partial }, searched }) {
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
