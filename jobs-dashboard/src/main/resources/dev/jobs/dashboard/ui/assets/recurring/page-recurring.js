/** Jobs that run on a schedule. */

import { attempt, offerAction } from '../actions.js';
import { get, mayAct, post } from '../api.js';
import { Ago, Badge, Button, Card, Empty, IconButton, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { ask, Dialog } from '../dialog.js';
import { html, useState } from '../html.js';
import { minuteTime, relative, t, zone } from '../i18n.js';
import { serverNow, usePulse } from '../live.js';
import { Pager } from '../pager.js';
import { Table } from '../table.js';
import { toast } from '../toast.js';
import { ScheduleForm } from './schedule-form.js';

const EVERY_MILLIS = 10_000;
const MOST_TIMES = 3;
/** Why an action had no effect. */
const UNCHANGED = { run: 'done.recurring.refused', pause: 'done.recurring.gone', resume: 'done.recurring.gone' };

export function Page({ query }) {
  const recurring = useData('recurring', { from: query.from }, usePulse(EVERY_MILLIS));
  const [shown, setShown] = useState(null);
  return html`
    <div class="stack">
      <${PageHead} title=${t('nav.recurring')} lede=${t('lede.recurring')}>
        ${mayAct() && html`<${Button} onClick=${create}>${t('recurring.new')}<//>`}
      <//>
      <${Loaded} of=${recurring}>
        ${(list) =>
          list.items.length
            ? html`<${Card} flush><${Schedules} items=${list.items} onHistory=${setShown} /><${Pager} list=${list} /><//>`
            : html`<${Empty} icon="recurring" title=${t('empty.recurring')}>${t('empty.recurring.next')}<//>`}
      <//>
      <${DeclaredChanges} />
    </div>
    ${shown && html`<${History} name=${shown} onClose=${() => setShown(null)} />`}
  `;
}

const create = () =>
  attempt(async () => tellSaved(await ask(t('recurring.new'), (done) => html`<${ScheduleForm} of=${null} onDone=${done} />`, true)));

const edit = (name) =>
  attempt(async () => {
    const one = await get('recurring/one', { name });
    return tellSaved(await ask(t('recurring.edit', name), (done) => html`<${ScheduleForm} of=${one} onDone=${done} />`, true));
  });

function tellSaved(saved) {
  if (!saved) return;
  const { name, created } = saved;
  offerAction(t(created ? 'recurring.created' : 'recurring.changed', name), () => takeBack(name, saved));
}

const remove = (name) =>
  attempt(async () => {
    const deleted = await post('recurring/delete', { name });
    if (!deleted.changed) return toast(t('done.recurring.gone', name));
    return offerAction(t('recurring.deleted', name), () => takeBack(name, deleted));
  });

/** @param {string} name @param {{ undo: string | null, version: string }} change undo: the copy of what was there; null if nothing was */
const takeBack = (name, { undo, version }) =>
  attempt(async () => {
    const { changed } = await post('recurring/undo', { name, version, ...(undo && { undo }) });
    toast(t(changed ? 'recurring.undone' : 'done.recurring.gone', name));
  });

/** Schedules have zones of their own; the times are those of the reader. */
const nextTimes = () => t('column.next.zone', zone());

const Schedules = ({ items, onHistory }) => html`
  <${Table}>
    <thead>
      <tr>
        <th>${t('column.name')}</th>
        <th>${t('column.schedule')}</th>
        <th>${nextTimes()}</th>
        <th>${t('column.last')}</th>
        <th><span class="visually-hidden">${t('column.actions')}</span></th>
      </tr>
    </thead>
    <tbody>
      ${items.map((item) => html`<${Schedule} key=${item.name} item=${item} onHistory=${onHistory} />`)}
    </tbody>
  <//>
`;

function Schedule({
  item: { name, job, queue, args, schedule, utc, description, missed, mostMissed, overlap, understood, paused, known, origin, delay, next, last },
  onHistory,
}) {
  const send = (action) =>
    attempt(async () => {
      const { changed } = await post(`recurring/${action}`, { name });
      toast(t(changed ? `done.recurring.${action}` : UNCHANGED[action], name));
    });
  return html`
    <tr>
      <td class="main">
        <span class="name">${name}</span>
        ${queue && html` <${Badge}>${queue}<//>`}
        ${paused && html` <${Badge} kind="warn">${t('recurring.paused')}<//>`}
        ${!understood && html` <${Badge} kind="warn">${t('recurring.ruby')}<//>`}
        ${origin !== 'API' && html` <${Badge}>${t(`recurring.origin.${origin.toLowerCase()}`)}<//>`}
        ${!known && html` <${Badge}>${t('recurring.unknown')}<//>`}
        ${description && html`<span class="soft break"> ${description}</span>`}
        <span class="args">${job} ${args}</span>
      </td>
      <td data-label=${t('column.schedule')}><code class="break">${schedule}</code>${utc && html` <span class="faint small">UTC</span>`}
        ${missed !== 'WITHIN_GRACE' && html`<${Rule} name="missed" value=${missed} most=${missed === 'ALL' && mostMissed} />`}
        ${overlap !== 'ALLOW' && html`<${Rule} name="overlap" value=${overlap} />`}</td>
      <td data-label=${nextTimes()}>${!paused && next.length ? html`<${Next} times=${next} />` : !paused && delay ? t('recurring.next.delay') : '–'}</td>
      <td data-label=${t('column.last')}><${Ago} at=${last} /></td>
      <td class="does">
        <${IconButton} name="history" label=${t('action.history')} of=${name} onClick=${() => onHistory(name)} />
        ${
          mayAct() &&
          html`
          <${IconButton} name="run" label=${t('action.run')} of=${name} onClick=${() => send('run')} />
          ${
            paused
              ? html`<${IconButton} name="resume" label=${t('action.resume')} of=${name} onClick=${() => send('resume')} />`
              : html`<${IconButton} name="pause" label=${t('action.pause')} of=${name} onClick=${() => send('pause')} />`
          }
          <${IconButton} name="edit" label=${t('action.change')} of=${name} onClick=${() => edit(name)} />
          <${IconButton} name="trash" label=${t('action.delete')} of=${name} onClick=${() => remove(name)} />
        `
        }
      </td>
    </tr>
  `;
}

const Rule = ({ name, value, most = false }) => html`
  <div class="soft small">
    ${t(`recurring.${name}`)}: ${t(`recurring.${name}.${value.toLowerCase()}`)}${most && ` (${t('recurring.most-missed').toLowerCase()} ${most})`}
  </div>
`;

/** To the minute, since relative times would all say tomorrow. */
const Next = ({ times }) => html`
  <ul class="times">
    ${times.slice(0, MOST_TIMES).map(
      (at) => html`
        <li><time datetime=${new Date(at).toISOString()} title=${relative(at, serverNow())}>${minuteTime(at)}</time></li>
      `,
    )}
  </ul>
`;

/** What deploys changed. */
function DeclaredChanges() {
  const { data } = useData('recurring/changes', {}, usePulse(EVERY_MILLIS));
  if (!data?.items.length) return null;
  return html`
    <${Card} title=${t('recurring.changes')}>
      <ol class="timeline">
        ${data.items.map(
          ({ application, at, changes }) => html`
            <li>
              <${Ago} at=${at} />${application && ` · ${application}`}
              <ul class="small">
                ${changes.map(
                  ({ name, kind, was }) => html`
                    <li class="break">${t(`recurring.change.${kind.toLowerCase()}`, name)}${was && html`<span class="soft">: ${was}</span>`}</li>
                  `,
                )}
              </ul>
            </li>
          `,
        )}
      </ol>
    <//>
  `;
}

function History({ name, onClose }) {
  const history = useData('recurring/history', { name });
  return html`
    <${Dialog} title=${t('recurring.history', name)} onClose=${onClose}>
      <${Loaded} of=${history}>
        ${({ items }) =>
          items.length
            ? html`
                <ol class="timeline">
                  ${items.map(
                    ({ at, jid }) => html`<li><${Ago} at=${at} /> <code class="faint break">${jid}</code></li>`,
                  )}
                </ol>
              `
            : html`<p class="soft">${t('recurring.history.none')}</p>`}
      <//>
      <footer><${Button} kind="primary" onClick=${onClose}>${t('action.close')}<//></footer>
    <//>
  `;
}
