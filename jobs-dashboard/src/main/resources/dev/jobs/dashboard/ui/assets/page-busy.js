/** Workers, their running jobs, and the stacks of these. */

import { mayAct, post } from './api.js';
import { Ago, Badge, Button, Card, Empty, Meter, Notice, PageHead } from './basics.js';
import { attempt } from './actions.js';
import { Loaded, useData } from './data.js';
import { confirm } from './dialog.js';
import { html, useState } from './html.js';
import { bytes, number, plural, t } from './i18n.js';
import { live } from './live.js';
import { jobLink, jobName } from './places.js';
import { link } from './router.js';
import { cancel, Elapsed, Stack } from './running.js';
import { useStore } from './store.js';
import { Table } from './table.js';
import { toast } from './toast.js';

export function Page() {
  const numbers = useStore(live);
  const busy = useData('busy', {}, numbers?.at);
  const [shown, setShown] = useState(null);
  return html`
    <${PageHead} title=${t('nav.busy')} lede=${t('lede.busy')}>
      ${busy.data && mayAct() && html`<${AllProcesses} processes=${busy.data.processes.filter(({ embedded }) => !embedded)} />`}
    <//>
    <${Loaded} of=${busy}>
      ${({ processes, work, partial, skew }) => html`
        ${skew.length > 0 && html`<${Notice} title=${t('busy.skew')}>${t('busy.skew.next', skew.join(', '))}<//>`}
        ${
          processes.length
            ? html`<div class="columns">${processes.map((process) => html`<${Process} key=${process.identity} process=${process} />`)}</div>`
            : html`<${Empty} icon="busy" title=${t('empty.processes')}>${t('empty.processes.next')}<//>`
        }
        <${Card}
          flush
          title=${t('busy.running')}
          aside=${partial && html`<span class="faint">${t('busy.partial', work.length)}</span>`}
        >
          ${work.length ? html`<${Work} work=${work} onStack=${setShown} />` : html`<${Empty} icon="run" title=${t('empty.work')}>${t('empty.work.next')}<//>`}
        <//>
      `}
    <//>
    ${shown && html`<${Stack} of=${shown} onClose=${() => setShown(null)} />`}
  `;
}

function Process({ process }) {
  const {
    host,
    pid,
    tag,
    busy,
    concurrency,
    quiet,
    leader,
    embedded,
    memory,
    rtt,
    startedAt,
    beat,
    version,
    queues,
    capsules,
  } = process;
  const badges = html`
    <span class="badges">
      ${leader && html`<${Badge} kind="accent">${t('process.leader')}<//>`}
      ${quiet && html`<${Badge} kind="warn">${t('process.quiet')}<//>`}
      ${embedded && html`<${Badge}>${t('process.embedded')}<//>`}
    </span>
  `;
  return html`
    <${Card} title=${[tag, `${host}:${pid}`].filter(Boolean).join(' · ')} aside=${badges}>
      <p class="small soft">${t('process.threads', busy, concurrency)}</p>
      <${Meter} share=${concurrency ? busy / concurrency : 0} />
      <dl class="facts process">
        ${capsules.map(
          (capsule) => html`
            <dt class="break">${capsule.name}</dt>
            <dd>${plural('threads', capsule.concurrency)} · ${Object.entries(capsule.queues)
              .map(([name, weight]) => (weight > 1 ? `${name} ×${weight}` : name))
              .join(', ')}</dd>
          `,
        )}
        ${capsules.length === 0 && html`<dt>${t('nav.queues')}</dt><dd>${queues.join(', ')}</dd>`}
        <dt>${t('process.started')}</dt>
        <dd><${Ago} at=${startedAt} /></dd>
        <dt>${t('process.beat')}</dt>
        <dd><${Ago} at=${beat} /></dd>
        <dt>${t('process.memory')}</dt>
        <dd>${bytes(memory)} <span class="faint">${t('process.rtt', rtt)}</span></dd>
        <dt>${t('process.version')}</dt>
        <dd>${version ?? '–'}</dd>
      </dl>
      ${mayAct() && !embedded && html`<${Signals} process=${process} />`}
    <//>
  `;
}

/** Actions on all processes at once, if several can be controlled. */
function AllProcesses({ processes }) {
  if (processes.length < 2) return null;
  const signal = async (name, told) => {
    const count = plural('processes', told.length);
    const jobs = plural(
      'jobs',
      told.reduce((sum, { busy }) => sum + busy, 0),
    );
    const verb = t(`action.${name}-all`);
    const sure = await confirm({
      title: t('confirm.title', verb, count),
      text: t(`confirm.${name}-all`, count, jobs),
      verb,
      danger: name === 'stop',
    });
    if (sure) await attempt(() => tellAll(name, told));
  };
  const awake = processes.filter(({ quiet }) => !quiet);
  return html`
    <${Button} disabled=${!awake.length} onClick=${() => signal('quiet', awake)}>${t('action.quiet-all')}<//>
    <${Button} onClick=${() => signal('stop', processes)}>${t('action.stop-all')}<//>
  `;
}

/** Signals one process after the other; reports how many were reached, even if it has to stop in between. */
async function tellAll(name, processes) {
  let told = 0;
  try {
    for (const { identity } of processes) told += (await post(`process/${name}`, { identity })).changed ? 1 : 0;
  } finally {
    toast(t(`done.${name}-all`, plural('processes', told)));
  }
}

function Signals({ process: { identity, host, pid, quiet, busy } }) {
  const signal = async (name) => {
    const sure = await confirm({
      title: t(`confirm.${name}.title`, `${host}:${pid}`),
      text: t(`confirm.${name}`, plural('jobs', busy)),
      verb: t(`action.${name}`),
      danger: name === 'stop',
    });
    if (!sure) return;
    await attempt(async () => {
      const { changed } = await post(`process/${name}`, { identity });
      toast(t(changed ? `done.${name}` : 'done.no-process', `${host}:${pid}`));
    });
  };
  return html`
    <div class="row">
      <${Button} of=${`${host}:${pid}`} disabled=${quiet} onClick=${() => signal('quiet')}>${t('action.quiet')}<//>
      <${Button} of=${`${host}:${pid}`} onClick=${() => signal('stop')}>${t('action.stop')}<//>
    </div>
  `;
}

const Work = ({ work, onStack }) => html`
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
      ${work.map(
        (some) => html`
          <${Running} key=${some.process + some.thread} work=${some} onStack=${onStack} />
        `,
      )}
    </tbody>
  <//>
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
      <td class="break" data-label=${t('column.thread')}><code>${work.thread}</code></td>
      <td class="number" data-label=${t('column.elapsed')}><${Elapsed} since=${work.since} /></td>
      <td class="does">
        ${work.stack && work.job.jid && mayAct() && html`<${Button} kind="quiet" of=${jobName(work.job)} onClick=${() => cancel(work.job)}>${t('action.cancel-job')}<//>`}
        ${work.stack && html`<${Button} kind="quiet" of=${jobName(work.job)} onClick=${() => onStack(work)}>${t('action.stack')}<//>`}
      </td>
    </tr>
  `;
}
