/** Running jobs and the processes that run them. */

import { mayAct } from '../api.js';
import { Badge, Button, Card, Notice, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html, useState } from '../html.js';
import { number, t } from '../i18n.js';
import { cancel, Elapsed, Stack } from '../job/running.js';
import { Filters } from '../jobs/filters.js';
import { jobLink, jobName } from '../jobs/places.js';
import { live } from '../live.js';
import { Pager } from '../pager.js';
import { link } from '../router.js';
import { Steady } from '../steady.js';
import { useStore } from '../store.js';
import { Table } from '../table.js';
import { AllProcesses, MANY, Nothing, Processes } from './processes.js';

export function Page({ query: { text, from, processes } }) {
  const numbers = useStore(live);
  const busy = useData('busy', { text, from, processes }, numbers?.at);
  const [shown, setShown] = useState(null);
  const many = ({ data }) => data && (data.work.total >= MANY || data.processes.total >= MANY);
  return html`
    <${PageHead} title=${t('nav.busy')} lede=${t('lede.busy')}>
      ${busy.data && mayAct() && html`<${AllProcesses} of=${busy.data.controllable} />`}
    <//>
    <div class="stack">
      ${(text !== undefined || many(busy)) && html`<${Filters} query=${{ text }} fields=${['text']} placeholder=${t('busy.filter')} />`}
      <${Loaded} of=${busy}>
        ${({ processes: workers, work, partial, skew }, wish) => html`
          ${skew.length > 0 && html`<${Notice} title=${t('busy.skew')}>${t('busy.skew.next', skew.join(', '))}<//>`}
          <${Card}
            flush
            title=${t('busy.running')}
            aside=${html`<span class="faint">${partial ? t('busy.partial', work.total) : number(work.total)}</span>`}
          >
            ${work.total ? html`<${Work} list=${work} wish=${wish} onStack=${setShown} />` : html`<${Nothing} kind="work" icon="run" filtered=${text} />`}
          <//>
          <${Card} flush title=${t('busy.processes')} aside=${html`<span class="faint">${number(workers.total)}</span>`}>
            ${workers.total ? html`<${Processes} list=${workers} wish=${wish} />` : html`<${Nothing} kind="processes" icon="busy" filtered=${text} />`}
          <//>
        `}
      <//>
    </div>
    ${shown && html`<${Stack} of=${shown} onClose=${() => setShown(null)} />`}
  `;
}

const workId = ({ process, thread }) => `${process} ${thread}`;

const Work = ({ list, wish, onStack }) => html`
  <${Steady} items=${list.items} idOf=${workId} wish=${wish}>
    ${(items) => html`
      <${Table}>
        <thead>
          <tr>
            <th>${t('column.job')}</th>
            <th>${t('column.queue')}</th>
            <th>${t('column.thread')}</th>
            <th class="number">${t('column.elapsed')}</th>
            <th><span class="visually-hidden">${t('column.actions')}</span></th>
          </tr>
        </thead>
        <tbody>
          ${items.map((some) => html`<${Running} key=${workId(some)} work=${some} onStack=${onStack} />`)}
        </tbody>
      <//>
    `}
  <//>
  <${Pager} list=${list} of=${t('busy.running')} />
`;

function Running({ work, onStack }) {
  const { process, thread, job } = work;
  return html`
    <tr>
      <td class="main">
        <a class="name" href=${jobLink({ place: 'running', jid: job.jid, process, thread })}>${jobName(job)}</a>
        <span class="args">${work.job.args}</span>
        <span class="small faint mono">${work.job.jid}</span>
      </td>
      <td data-label=${t('column.queue')}><a href=${link('queue', { name: work.queue })}><${Badge}>${work.queue}<//></a></td>
      <td class="break" data-label=${t('column.thread')}><code>${process.split(':').slice(0, 2).join(':')} ${thread}</code></td>
      <td class="number" data-label=${t('column.elapsed')}><${Elapsed} since=${work.since} /></td>
      <td class="does">
        ${work.stack && work.job.jid && mayAct() && html`<${Button} kind="quiet" of=${jobName(work.job)} onClick=${() => cancel(work.job)}>${t('action.cancel-job')}<//>`}
        ${work.stack && html`<${Button} kind="quiet" of=${jobName(work.job)} onClick=${() => onStack(work)}>${t('action.stack')}<//>`}
      </td>
    </tr>
  `;
}
