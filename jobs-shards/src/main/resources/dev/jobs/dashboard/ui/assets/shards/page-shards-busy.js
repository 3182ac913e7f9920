/** The processes that serve shards, each shown once with its shards. */

import { mayAct, post } from '../api.js';
import { Ago, Badge, Card, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { bytes, number, t } from '../i18n.js';
import { Filters } from '../jobs/filters.js';
import { live } from '../live.js';
import { Pager } from '../pager.js';
import { BusyCell, MANY, NameCell, Nothing, hostAndPid, SignalsCell } from '../processes/processes.js';
import { Steady } from '../steady.js';
import { useStore } from '../store.js';
import { Table } from '../table.js';
import { doneExcept, MissingShards, ShardLink } from './shards.js';

export function Page({ query: { text, processes } }) {
  const numbers = useStore(live);
  const busy = useData('busy', { text, processes }, numbers?.at);
  const many = busy.data?.processes.total >= MANY;
  return html`
    <${PageHead} title=${t('nav.processes')} lede=${t('lede.shards-busy')} />
    <div class="stack">
      ${(text !== undefined || many) && html`<${Filters} query=${{ text }} fields=${['text']} placeholder=${t('busy.filter')} />`}
      <${Loaded} of=${busy}>
        ${({ processes: list, missing }, wish) => html`
          <${MissingShards} of=${missing} />
          <${Card} flush title=${t('busy.processes')} aside=${html`<span class="faint">${number(list.total)}</span>`}>
            ${list.total ? html`<${Processes} list=${list} wish=${wish} />` : html`<${Nothing} kind="processes" icon="busy" filtered=${text} />`}
          <//>
        `}
      <//>
    </div>
  `;
}

/** Of its first part: several processes may have the same host and pid. */
const idOf = ({ shards }) => shards[0].identity;

const Processes = ({ list, wish }) => html`
  <${Steady} items=${list.items} idOf=${idOf} wish=${wish}>
    ${(items) => html`
      <${Table}>
        <thead>
          <tr>
            <th>${t('limits.process')}</th>
            <th>${t('column.shards')}</th>
            <th>${t('nav.queues')}</th>
            <th>${t('process.busy')}</th>
            <th>${t('process.beat')}</th>
            <th class="number">${t('process.memory')}</th>
            ${mayAct() && html`<th><span class="visually-hidden">${t('column.actions')}</span></th>`}
          </tr>
        </thead>
        <tbody>
          ${items.map((process) => html`<${Process} key=${idOf(process)} process=${process} />`)}
        </tbody>
      <//>
    `}
  <//>
  <${Pager} list=${list} at="processes" of=${t('busy.processes')} />
`;

function Process({ process }) {
  const { quiet, memory, beat, queues, shards } = process;
  return html`
    <tr>
      <${NameCell} process=${process} />
      <td data-label=${t('column.shards')}>
        ${shards.map(
          (part) => html`
            <span class="place">
              <${ShardLink} shard=${part.shard} page="busy" />
              ${part.leader && html` <${Badge} kind="accent">${t('process.leader')}<//>`}
              ${part.quiet && !quiet && html` <${Badge} kind="warn">${t('process.quiet')}<//>`}
            </span>${' '}
          `,
        )}
      </td>
      <td class="break serves" data-label=${t('nav.queues')}>${queues.join(', ')}</td>
      <${BusyCell} process=${process} />
      <td data-label=${t('process.beat')}><${Ago} at=${beat} /></td>
      <td class="number" data-label=${t('process.memory')}>${bytes(memory)}</td>
      <${SignalsCell} process=${process} send=${(name) => tell(process, name)} />
    </tr>
  `;
}

/** Tells a process in each of its shards. */
async function tell(process, name) {
  const body = {
    shards: process.shards.map(({ shard }) => shard.name),
    identities: process.shards.map(({ identity }) => identity),
  };
  const { told, missing } = await post(`process/${name}`, body);
  return doneExcept(t(told ? `done.${name}` : 'done.no-process', hostAndPid(process)), missing);
}
