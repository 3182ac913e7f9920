/** Processes: what they serve, and the signals to one or to all of them. */

import { attempt } from '../actions.js';
import { mayAct, post } from '../api.js';
import { Ago, Badge, Button, Empty, Meter } from '../basics.js';
import { confirm } from '../dialog.js';
import { html } from '../html.js';
import { bytes, plural, t } from '../i18n.js';
import { Pager } from '../pager.js';
import { Steady } from '../steady.js';
import { Table } from '../table.js';
import { toast } from '../toast.js';

/** From this number of processes or jobs on they can be filtered. */
export const MANY = 10;

/** Instead of a list that is empty. @param {{ kind: 'work' | 'processes', icon: 'run' | 'busy', filtered?: string }} props */
export const Nothing = ({ kind, icon, filtered }) =>
  filtered
    ? html`<${Empty} icon="search" title=${t('busy.filtered')} />`
    : html`<${Empty} icon=${icon} title=${t(`empty.${kind}`)}>${t(`empty.${kind}.next`)}<//>`;

export const Processes = ({ list, wish }) => html`
  <${Steady} items=${list.items} idOf=${({ identity }) => identity} wish=${wish}>
    ${(items) => html`
      <${Table}>
        <thead>
          <tr>
            <th>${t('limits.process')}</th>
            <th>${t('nav.queues')}</th>
            <th>${t('process.busy')}</th>
            <th>${t('process.started')}</th>
            <th>${t('process.beat')}</th>
            <th class="number">${t('process.memory')}</th>
            ${mayAct() && html`<th><span class="visually-hidden">${t('column.actions')}</span></th>`}
          </tr>
        </thead>
        <tbody>
          ${items.map((process) => html`<${Process} key=${process.identity} process=${process} />`)}
        </tbody>
      <//>
    `}
  <//>
  <${Pager} list=${list} at="processes" of=${t('busy.processes')} />
`;

/** Where a process runs: one that serves several installations is the same in each. */
export const hostAndPid = ({ host, pid }) => `${host}:${pid}`;

/** The cell with the name of a process, and what is special about it. */
export const NameCell = ({ process }) => html`
  <td class="main">
    <span class="name">${[process.tag, hostAndPid(process)].filter(Boolean).join(' · ')}</span>
    ${process.leader && html` <${Badge} kind="accent">${t('process.leader')}<//>`}
    ${process.quiet && html` <${Badge} kind="warn">${t('process.quiet')}<//>`}
    ${process.embedded && html` <${Badge}>${t('process.embedded')}<//>`}
    <span class="args plain">${process.version}</span>
  </td>
`;

/** The cell that shows how many jobs run. */
export const BusyCell = ({ process: { busy, concurrency } }) => html`
  <td data-label=${t('process.busy')}>
    <span class="busy">${t('process.threads', busy, concurrency)}</span>
    <${Meter} share=${concurrency ? busy / concurrency : 0} />
  </td>
`;

/**
 * The cell with the signals to a process, if the user may send them.
 *
 * @param {{ process: any, send: (name: string) => Promise<string> }} props send: returns what to tell the user
 */
export const SignalsCell = ({ process, send }) =>
  mayAct() && html`<td class="does">${!process.embedded && html`<${Signals} process=${process} send=${send} />`}</td>`;

function Process({ process }) {
  const { identity, memory, rtt, startedAt, beat } = process;
  const send = async (name) => {
    const { changed } = await post(`process/${name}`, { identity });
    return t(changed ? `done.${name}` : 'done.no-process', hostAndPid(process));
  };
  return html`
    <tr>
      <${NameCell} process=${process} />
      <td class="break serves" data-label=${t('nav.queues')}><${Serves} process=${process} /></td>
      <${BusyCell} process=${process} />
      <td data-label=${t('process.started')}><${Ago} at=${startedAt} /></td>
      <td data-label=${t('process.beat')} title=${t('process.rtt', rtt)}><${Ago} at=${beat} /></td>
      <td class="number" data-label=${t('process.memory')}>${bytes(memory)}</td>
      <${SignalsCell} process=${process} send=${send} />
    </tr>
  `;
}

/** The queues of a process, by capsules if it has several. */
const Serves = ({ process: { queues, capsules } }) =>
  capsules.length
    ? capsules.map(
        ({ name, concurrency, queues: served }) => html`
          <span class="capsule">
            ${capsules.length > 1 && html`<span class="soft">${name} (${plural('threads', concurrency)}):${' '}</span>`}
            ${Object.entries(served)
              .map(([queue, weight]) => (weight > 1 ? `${queue} ×${weight}` : queue))
              .join(', ')}
          </span>
        `,
      )
    : queues.join(', ');

/** Actions on all processes at once, if several can be controlled. */
export function AllProcesses({ of: { processes, awake, busy, awakeBusy } }) {
  if (processes < 2) return null;
  const signal = async (name, reached, running) => {
    const count = plural('processes', reached);
    const verb = t(`action.${name}-all`);
    const sure = await confirm({
      title: t('confirm.title', verb, count),
      text: t(`confirm.${name}-all`, count, plural('jobs', running)),
      verb,
      danger: name === 'stop',
    });
    if (!sure) return;
    await attempt(async () => {
      const { told } = await post(`processes/${name}`, {});
      toast(t(`done.${name}-all`, plural('processes', told)));
    });
  };
  return html`
    <${Button} disabled=${!awake} onClick=${() => signal('quiet', awake, awakeBusy)}>${t('action.quiet-all')}<//>
    <${Button} onClick=${() => signal('stop', processes, busy)}>${t('action.stop-all')}<//>
  `;
}

function Signals({ process, send }) {
  const who = hostAndPid(process);
  const signal = async (name) => {
    const sure = await confirm({
      title: t(`confirm.${name}.title`, who),
      text: t(`confirm.${name}`, plural('jobs', process.busy)),
      verb: t(`action.${name}`),
      danger: name === 'stop',
    });
    if (sure) await attempt(async () => toast(await send(name)));
  };
  return html`
    <${Button} kind="quiet" of=${who} disabled=${process.quiet} onClick=${() => signal('quiet')}>${t('action.quiet')}<//>
    <${Button} kind="quiet" of=${who} onClick=${() => signal('stop')}>${t('action.stop')}<//>
  `;
}
