/** All queues. */

import { enqueueByHand } from '../actions/hand-work.js';
import { mayAct, session } from '../api.js';
import { Button, Card, PageHead, Segments } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { t } from '../i18n.js';
import { Filters } from '../jobs/filters.js';
import { live } from '../live.js';
import { Pager } from '../pager.js';
import { refine } from '../router.js';
import { useStore } from '../store.js';
import { QueueTable } from './queue-table.js';

export function Page({ query }) {
  const numbers = useStore(live);
  const { from, size, text, turned } = query;
  const by = query.sort ?? 'name';
  const queues = useData('queues', { from, size, text, sort: by, turned }, numbers?.at);
  const sorts = ['name', 'size', 'latency'].map((name) => [name, t(`sort.${name}`)]);
  const choose = (next, turn) => refine({ sort: next, turned: turn || null, from: null });
  const sort = { by, turned: turned === 'true', onSort: choose };
  return html`
    <${PageHead} title=${t('nav.queues')} lede=${t('lede.queues')}>
      <${Segments} label=${t('sort.label')} options=${sorts} value=${by} onChoose=${(next) => choose(next, false)} />
      ${mayAct() && session.get().features.enqueue && html`<${Button} onClick=${() => enqueueByHand()}>${t('action.enqueue-job')}<//>`}
    <//>
    <div class="stack">
      ${(text || queues.data?.next) && html`<${Filters} query=${query} fields=${['text']} />`}
      <${Loaded} of=${queues}>${(list, wish) => html`<${Card} flush><${QueueTable} queues=${list.items} wish=${wish} sort=${sort} acts /><${Pager} list=${list} sized /><//>`}<//>
    </div>
  `;
}
