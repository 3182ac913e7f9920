/** A list of the jobs of one place: selection, actions, paging. */

import { actionName, actionsOf, rowActionsOf } from '../actions.js';
import { perform } from '../actions/hand-work.js';
import { Ago, Badge, Button, IconButton } from '../basics.js';
import { html, useEffect, useState } from '../html.js';
import { plural, t } from '../i18n.js';
import { Pager } from '../pager.js';
import { refine } from '../router.js';
import { Steady } from '../steady.js';
import { SortHead, Table } from '../table.js';
import { Cause, Tags } from './job-parts.js';
import { jobLink, jobName } from './places.js';
import { useSlices } from './slices.js';

const TIME_LABELS = { queue: 'column.enqueued', scheduled: 'column.due', retries: 'column.next', dead: 'column.died' };

/** The identity of a job while it stays in its place; its key also has its position in the queue, which changes. */
const idOf = ({ id, key }) => id ?? key;

/**
 * The selected jobs by their ids: the key last seen, and the page of the list on which it was. Jobs that left the shown
 * page are deselected.
 *
 * @returns {[Map<string, { key: string, from: number }>, (chosen: Map) => void]}
 */
function useChosen({ items, from }) {
  const [chosen, setChosen] = useState(new Map());
  useEffect(() => {
    const seen = new Map(items.map((job) => [idOf(job), { key: job.key, from }]));
    setChosen((last) => {
      const stay = [...last].filter(([id, at]) => seen.has(id) || at.from !== from);
      return last.size ? new Map(stay.map(([id, at]) => [id, seen.get(id) ?? at])) : last;
    });
  }, [items, from]);
  return [chosen, setChosen];
}

/**
 * @param {{ place: string, queue?: string, list: any, wish: string, address: string, matching: Record<string, string>,
 *     filtered: boolean, sort: import('../table.js').Sort }} props list: an answer of `api/jobs`; address: of its
 *     request; matching: the filters in it; sort: by time
 */
export const JobsTable = ({ list, wish, ...rest }) => html`
  <${Steady} items=${list.items} idOf=${idOf} wish=${wish}>
    ${(items) => html`<${Jobs} list=${{ ...list, items }} ...${rest} />`}
  <//>
`;

function Jobs({ place, queue, list, address, matching, filtered, sort }) {
  const [chosen, setChosen] = useChosen(list);
  const actions = actionsOf(place);
  const { items, from } = list;
  const rows = useSlices(items, address);
  const choose = (jobs, on) => {
    const next = new Map(chosen);
    jobs.forEach((job) => (on ? next.set(idOf(job), { key: job.key, from }) : next.delete(idOf(job))));
    setChosen(next);
  };
  const doWith = async (action, target) => (await perform(action, { place, queue, ...target })) && setChosen(new Map());
  const keys = [...chosen.values()].map(({ key }) => key);
  const allHere = items.length > 0 && items.every((job) => chosen.has(idOf(job)));
  return html`
    <section class="card">
      <${Table}>
        <thead>
          <tr>
            ${
              actions.length > 0 &&
              html`
              <th class="check">
                <input type="checkbox" aria-label=${t('choose.page')} checked=${allHere}
                  onChange=${(event) => choose(items, event.target.checked)} />
              </th>
            `
            }
            <th>${t('column.job')}</th>
            ${place !== 'queue' && html`<th>${t('column.queue')}</th>`}
            ${hasErrors(place) && html`<th>${t('column.error')}</th>`}
            <${SortHead} name="time" sort=${sort}>${t(TIME_LABELS[place])}<//>
            ${actions.length > 0 && html`<th><span class="visually-hidden">${t('column.actions')}</span></th>`}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (job) => html`
              <${Row} key=${idOf(job)} job=${job} chosen=${chosen.has(idOf(job))}
                onChoose=${(on) => choose([job], on)} onAct=${(action) => doWith(action, { keys: [job.key] })} />
            `,
          )}
        </tbody>
      <//>
      <${Pager} list=${list} filtered=${filtered} sized />
    </section>
    ${
      chosen.size > 0 &&
      html`
      <${Selection} place=${place} count=${keys.length} actions=${actions} all=${place !== 'queue' && list.total > items.length}
        filtered=${filtered} onClear=${() => setChosen(new Map())}
        onAct=${(action, everything) => doWith(action, everything ? { matching } : { keys })} />
    `
    }
  `;
}

const hasErrors = (place) => place === 'retries' || place === 'dead';

const Row = ({ job, chosen, onChoose, onAct }) => html`
  <tr class=${chosen ? 'selected' : ''}>
    ${
      actionsOf(job.place).length > 0 &&
      html`
      <td class="check">
        <input
          type="checkbox"
          aria-label=${t('choose.job', jobName(job))}
          checked=${chosen}
          onChange=${(event) => onChoose(event.target.checked)}
        />
      </td>
    `
    }
    <td class="main">
      <a class="name" href=${jobLink(job)}>${jobName(job)}</a>
      <${Tags} tags=${job.tags} onTag=${(tag) => refine({ tag, from: null })} />
      ${job.orderKey && html` <${Badge}>${job.orderKey}<//>`}
      ${job.priority !== null && html` <${Badge}>${t('job.priority.is', job.priority)}<//>`}
      <span class="args">${job.args}</span>
    </td>
    ${job.place !== 'queue' && html`<td data-label=${t('column.queue')}><${Badge}>${job.queue ?? '–'}<//></td>`}
    ${hasErrors(job.place) && html`<td class="main"><${Cause} error=${job.error} attempts=${job.attempts} /></td>`}
    <td data-label=${t(TIME_LABELS[job.place])}>${timeOf(job)}</td>
    ${
      actionsOf(job.place).length > 0 &&
      html`
      <td class="does">
        ${rowActionsOf(job.place).map(
          ([action, icon]) => html`
            <${IconButton}
              name=${icon}
              label=${actionName(action, job.place)}
              of=${jobName(job)}
              onClick=${() => onAct(action)}
            />
          `,
        )}
      </td>
    `
    }
  </tr>
`;

function timeOf({ place, score, at, enqueuedAt, createdAt }) {
  if (place === 'queue') return html`<${Ago} at=${enqueuedAt ?? createdAt} />`;
  return at === null && score ? t('time.never') : html`<${Ago} at=${at} />`;
}

function Selection({ place, count, actions, all, filtered, onAct, onClear }) {
  const [everything, setEverything] = useState(false);
  return html`
    <div class="selection" role="region" aria-label=${t('choose.region')}>
      <strong>
        ${everything ? t(filtered ? 'choose.matching' : 'choose.all') : plural('choose.some', count)}
      </strong>
      <span>
        ${
          all &&
          !everything &&
          html`<${Button} kind="quiet" onClick=${() => setEverything(true)}>${t(filtered ? 'choose.widen.matching' : 'choose.widen.all')}<//>`
        }
      </span>
      ${actions.map(
        (action) => html`<${Button} onClick=${() => onAct(action, everything)}>${actionName(action, place)}<//>`,
      )}
      <${Button} kind="quiet" onClick=${onClear}>${t('action.clear-choice')}<//>
    </div>
  `;
}
