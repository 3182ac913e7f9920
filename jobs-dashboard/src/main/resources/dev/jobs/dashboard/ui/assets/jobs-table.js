/** A list of the jobs of one place: selection, actions, paging. */

import { act, actionName, actionsOf, ICONS } from './actions.js';
import { Ago, Badge, Button, IconButton } from './basics.js';
import { html, useEffect, useState } from './html.js';
import { number, plural, t } from './i18n.js';
import { jobLink, jobName } from './places.js';
import { refine } from './router.js';
import { Table } from './table.js';

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
 * @param {{ place: string, queue?: string, list: any, matching: Record<string, string>, filtered: boolean }} props
 *     list: an answer of `api/jobs`; matching: the filters of its request
 */
export function JobsTable({ place, queue, list, matching, filtered }) {
  const [chosen, setChosen] = useChosen(list);
  const actions = actionsOf(place);
  const { items, from } = list;
  const choose = (jobs, on) => {
    const next = new Map(chosen);
    jobs.forEach((job) => (on ? next.set(idOf(job), { key: job.key, from }) : next.delete(idOf(job))));
    setChosen(next);
  };
  const doWith = async (action, target) => (await act(action, { place, queue, ...target })) && setChosen(new Map());
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
            <th>${t(TIME_LABELS[place])}</th>
            ${actions.length > 0 && html`<th><span class="visually-hidden">${t('column.actions')}</span></th>`}
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (job) => html`
              <${Row} key=${idOf(job)} job=${job} actions=${actions} chosen=${chosen.has(idOf(job))}
                onChoose=${(on) => choose([job], on)} onAct=${(action) => doWith(action, { keys: [job.key] })} />
            `,
          )}
        </tbody>
      <//>
      <${Pager} list=${list} filtered=${filtered} />
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

/** Whether there is nothing in a list and nothing more to search. */
export const isEmpty = ({ items, from, next }) => !items.length && !from && next === null;

const hasErrors = (place) => place === 'retries' || place === 'dead';

const Row = ({ job, actions, chosen, onChoose, onAct }) => html`
  <tr class=${chosen ? 'selected' : ''}>
    ${
      actions.length > 0 &&
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
      <${Tags} tags=${job.tags} />
      <span class="args">${job.args}</span>
    </td>
    ${job.place !== 'queue' && html`<td data-label=${t('column.queue')}><${Badge}>${job.queue ?? '–'}<//></td>`}
    ${hasErrors(job.place) && html`<td class="main"><${Cause} error=${job.error} attempts=${job.attempts} /></td>`}
    <td data-label=${t(TIME_LABELS[job.place])}>${timeOf(job)}</td>
    ${
      actions.length > 0 &&
      html`
      <td class="does">
        ${actions.map(
          (action) => html`
            <${IconButton}
              name=${ICONS[action]}
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

export const Tags = ({ tags }) => (tags ?? []).map((tag) => html` <${Badge} kind="accent">${tag}<//>`);

/** Why a job failed, and how often. */
export const Cause = ({ error, attempts }) => html`
  <span class="cause">
    ${error ? html`<b>${shortType(error.type)}</b>${error.message && ` ${error.message}`}` : '–'}
  </span>
  ${attempts > 0 && html`<span class="small faint">${plural('attempts', attempts)}</span>`}
`;

/** An exception without its package. */
export const shortType = (type) => type?.split('.').at(-1) ?? '';

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

/**
 * Pages through a list by the query's `from`. A search that stopped at its budget can be continued.
 *
 * @param {{ list: { from: number, size: number, total: number | null, next: number | null, partial: boolean,
 *     items: object[] }, filtered?: boolean }} props
 */
export function Pager({ list: { from, size, total, next, partial, items }, filtered }) {
  const turn = (to) => {
    refine({ from: to || null });
    scrollTo(0, 0);
  };
  const back = filtered ? 0 : Math.max(from - size, 0); // the start of the previous matches is unknown
  if (!from && next === null) return null;
  return html`
    <nav class="pager" aria-label=${t('pager.label')}>
      ${!filtered && total !== null && html`<span>${t('pager.range', from + 1, from + items.length, total)}</span>`}
      ${partial && html`<span>${t('pager.partial', total ?? 0)}</span>`}
      ${from > 0 && html`<${Button} onClick=${() => turn(back)}>${t(filtered ? 'pager.start' : 'pager.back')}<//>`}
      ${
        next !== null &&
        html`<${Button} onClick=${() => turn(next)}>${t(partial ? 'pager.search-on' : 'pager.next')}<//>`
      }
    </nav>
  `;
}
