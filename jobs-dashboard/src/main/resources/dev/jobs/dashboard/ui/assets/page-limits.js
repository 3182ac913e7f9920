/** What keeps jobs from being stored: the locks of unique jobs. */

import { attempt } from './actions.js';
import { mayAct, post } from './api.js';
import { Badge, Button, Card, Empty, PageHead } from './basics.js';
import { Loaded, useData } from './data.js';
import { confirm } from './dialog.js';
import { Filters } from './filters.js';
import { openJob } from './find.js';
import { html } from './html.js';
import { duration, t } from './i18n.js';
import { usePulse } from './live.js';
import { jobLink } from './places.js';
import { go } from './router.js';
import { toast } from './toast.js';

const EVERY_MILLIS = 10_000;

/** There may be more locks than the page shows, and only a digest of their keys is stored: so one looks for a key. */
export function Page({ query }) {
  const { job, key } = query;
  const locks = useData('locks', { job, key: job && key }, usePulse(EVERY_MILLIS));
  return html`
    <${PageHead} title=${t('nav.limits')} lede=${t('lede.limits')} />
    <div class="stack">
      <${Filters} query=${query} fields=${['job', 'key']} />
      <${Loaded} of=${locks}>${(list) => html`<${Locks} list=${list} searched=${Boolean(job)} />`}<//>
    </div>
  `;
}

function Locks({ list: { items, partial }, searched }) {
  if (!items.length) {
    const texts = searched ? ['locks.free', 'locks.free.next'] : ['empty.locks', 'empty.locks.next'];
    return html`<${Empty} icon="limits" title=${t(texts[0])}>${t(texts[1])}<//>`;
  }
  return html`
    <${Card} title=${t('locks.title')} flush>
      <table class="table folds">
        <thead>
          <tr>
            <th>${t('locks.holder')}</th>
            <th>${t('locks.name')}</th>
            <th>${t('locks.left')}</th>
            <th><span class="visually-hidden">${t('column.actions')}</span></th>
          </tr>
        </thead>
        <tbody>${items.map((lock) => html`<${Lock} key=${lock.digest} lock=${lock} />`)}</tbody>
      </table>
      ${partial && html`<p class="body soft">${t('locks.more', items.length)}</p>`}
    <//>
  `;
}

const Lock = ({ lock: { digest, holder, left } }) => html`
  <tr>
    <td class="main"><code class="break">${holder}</code></td>
    <td data-label=${t('locks.name')}><code class="faint break">${digest}</code></td>
    <td data-label=${t('locks.left')}>${left === null ? html`<${Badge} kind="warn">${t('locks.endless')}<//>` : duration(left)}</td>
    <td class="does">
      <${Button} kind="quiet" of=${holder} onClick=${() => show(holder)}>${t('action.show-job')}<//>
      ${mayAct() && html`<${Button} kind="quiet" of=${holder} onClick=${() => release(digest, holder)}>${t('action.release')}<//>`}
    </td>
  </tr>
`;

/** A job can be in two places for a moment, while it moves: then the first of them is shown. */
const show = (jid) =>
  attempt(async () => {
    const several = await openJob(jid);
    if (several) go(jobLink({ ...several[0], jid }));
  });

async function release(digest, holder) {
  const verb = t('action.release');
  const sure = await confirm({
    title: t('confirm.title', verb, holder),
    text: t('confirm.release', holder),
    verb,
    danger: true,
  });
  if (!sure) return;
  await attempt(async () => {
    const { changed } = await post('lock/release', { digest, holder });
    toast(t(changed ? 'done.release' : 'done.release.gone', holder));
  });
}
