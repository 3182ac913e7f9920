/** All queues. */

import { enqueueByHand } from '../actions/hand-work.js';
import { mayAct, session } from '../api.js';
import { Button, Card, PageHead } from '../basics.js';
import { Loaded } from '../data.js';
import { html } from '../html.js';
import { t } from '../i18n.js';
import { Filters } from '../jobs/filters.js';
import { Pager } from '../pager.js';
import { QueueOrder, useQueues } from './queue-list.js';
import { QueueTable } from './queue-table.js';

export function Page({ query }) {
  const { queues, sort } = useQueues(query);
  return html`
    <${PageHead} title=${t('nav.queues')} lede=${t('lede.queues')}>
      <${QueueOrder} sort=${sort} />
      ${mayAct() && session.get().features.enqueue && html`<${Button} onClick=${() => enqueueByHand()}>${t('action.enqueue-job')}<//>`}
    <//>
    <div class="stack">
      ${(query.text || queues.data?.next) && html`<${Filters} query=${query} fields=${['text']} />`}
      <${Loaded} of=${queues}>${(list, wish) => html`<${Card} flush><${QueueTable} queues=${list.items} wish=${wish} sort=${sort} acts /><${Pager} list=${list} sized /><//>`}<//>
    </div>
  `;
}
