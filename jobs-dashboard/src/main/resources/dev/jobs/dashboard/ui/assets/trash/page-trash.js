/** Jobs that were deleted here and can be restored for a day. */

import { attempt, undo } from '../actions.js';
import { mayAct, post } from '../api.js';
import { Ago, Badge, Button, Card, Empty, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { confirm } from '../dialog.js';
import { html } from '../html.js';
import { plural, t } from '../i18n.js';
import { jobName, placeName } from '../jobs/places.js';
import { usePulse } from '../live.js';
import { Pager } from '../pager.js';
import { Steady } from '../steady.js';
import { Table } from '../table.js';
import { toast } from '../toast.js';

const EVERY_MILLIS = 10_000;

export function Page({ query }) {
  const trash = useData('trash', { from: query.from, size: query.size }, usePulse(EVERY_MILLIS));
  return html`
    <${PageHead} title=${t('nav.trash')} lede=${t('lede.trash')}>
      ${mayAct() && trash.data?.total > 0 && html`<${Button} onClick=${() => empty(trash.data.total)}>${t('action.empty-trash')}<//>`}
    <//>
    <${Loaded} of=${trash}>
      ${(list, wish) =>
        list.items.length
          ? html`<${Card} flush><${Steady} items=${list.items} idOf=${({ id }) => id} wish=${wish}>${(items) => html`<${Entries} items=${items} />`}<//><${Pager} list=${list} sized /><//>`
          : html`<${Empty} icon="trash" title=${t('empty.trash')}>${t('empty.trash.next')}<//>`}
    <//>
  `;
}

/** Jobs deleted together are grouped, newest first. */
function Entries({ items }) {
  const isFirst = ({ batch }, i) => items.findIndex((item) => item.batch === batch) === i;
  const together = ({ batch }) => items.filter((item) => item.batch === batch).length;
  return html`
    <${Table}>
      <thead>
        <tr>
          <th>${t('column.job')}</th>
          <th>${t('column.place')}</th>
          <th>${t('column.deleted')}</th>
          <th><span class="visually-hidden">${t('column.actions')}</span></th>
        </tr>
      </thead>
      <tbody>
        ${items.map(
          (item, i) => html`
            ${mayAct() && isFirst(item, i) && together(item) > 1 && html`<${Batch} key=${item.batch} batch=${item.batch} />`}
            <${Entry} key=${item.id} item=${item} />
          `,
        )}
      </tbody>
    <//>
  `;
}

/** The head of jobs that were deleted together; others of them may be on the next page. */
const Batch = ({ batch }) => html`
  <tr class="batch">
    <td class="main" colspan="3">${t('trash.together')}</td>
    <td class="does"><${Button} kind="quiet" onClick=${() => undo([batch])}>${t('action.restore-together')}<//></td>
  </tr>
`;

const Entry = ({ item: { id, deletedAt, job } }) => html`
  <tr>
    <td class="main"><span class="name">${jobName(job)}</span><span class="args">${job.args}</span></td>
    <td data-label=${t('column.place')}><${Badge}>${placeName(job)}<//></td>
    <td data-label=${t('column.deleted')}><${Ago} at=${deletedAt} /></td>
    <td class="does">
      ${mayAct() && html`<${Button} kind="quiet" of=${jobName(job)} onClick=${() => restore(id)}>${t('action.restore')}<//>`}
    </td>
  </tr>
`;

const restore = (id) =>
  attempt(async () => {
    let answer = { done: 0, cursor: null };
    do {
      answer = await post('trash/restore', { ids: [id], ...(answer.cursor && { cursor: answer.cursor }) });
    } while (answer.cursor);
    toast(t(answer.done ? 'done.restore' : 'done.gone', plural('jobs', 1)));
  });

async function empty(count) {
  const jobs = plural('jobs', count);
  const verb = t('action.empty-trash');
  if (
    !(await confirm({
      title: t('confirm.title', verb, jobs),
      text: t('confirm.empty-trash', jobs),
      verb,
      danger: true,
    }))
  )
    return;
  await attempt(async () => {
    const { done } = await post('trash/empty', {});
    toast(t('done.delete', plural('jobs', done)));
  });
}
