/** Fields that narrow a list; their values are in the address. */

import { useSuggestions } from '../actions/known.js';
import { Button } from '../basics.js';
import { html, useEffect, useRef, useState } from '../html.js';
import { t } from '../i18n.js';
import { refine } from '../router.js';
import { localInput } from '../time-field.js';
import { shortType } from './job-parts.js';

const PAUSE_MILLIS = 350;
const ALL = ['text', 'job', 'queue', 'error', 'cause', 'batch', 'tag', 'since', 'until'];
/** Fields whose values are suggested. */
const SUGGESTED = { job: 'jobs', queue: 'queues' };
/** What shows another part of a list than its first. */
const PARTS = ['from', 'after', 'processes'];
const NO_PARTS = Object.fromEntries(PARTS.map((name) => [name, null]));
/** In an address they are milliseconds, so that a link means the same everywhere. */
const TIMES = ['since', 'until'];
/** A longer year is neither typed nor shown. */
const LAST_TIME = '9999-12-31T23:59';
const LAST_MILLIS = Date.parse(LAST_TIME);
/** Filters of at most 200 characters; the others have at most 500. */
const SHORT = ['text', 'error', 'batch', 'tag'];

/** The filters in a query. @returns {Record<string, string>} */
export const filtersOf = (query) =>
  Object.fromEntries(ALL.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]));

/**
 * @param {{ query: Record<string, string>, fields: string[], rare?: string[], label?: string, placeholder?: string,
 *     children?: unknown }} props query: without what other fields of the page narrow; fields: some of those above but the
 *     cause, or of the page's own; rare: more of them, which are folded away until one is used; label: if the page has several
 *     of these; placeholder: of the text, if it is not about jobs alone; children: more choices
 */
export function Filters({ query, fields, rare = [], label, placeholder, children }) {
  const narrowed = Object.keys(filtersOf(query));
  const all = [...fields, ...rare];
  const any = narrowed.length > 0 || all.some((name) => query[name] !== undefined);
  const clear = () => refine(Object.fromEntries([...PARTS, ...narrowed, ...all].map((name) => [name, null])));
  const field = (name) => html`<${Field} key=${name} name=${name} hint=${name === 'text' ? placeholder : null} value=${query[name] ?? ''} />`;
  const isTime = (name) => TIMES.includes(name);
  return html`
    <form class="filters" role="search" aria-label=${label ?? t('filter.label')} onSubmit=${(event) => event.preventDefault()}>
      ${fields.filter((name) => !isTime(name)).map(field)} ${children} ${fields.filter(isTime).map(field)}
      ${
        query.cause !== undefined &&
        html`<span class="badge bad" title=${query.cause}>${shortType(query.cause) || t('failures.nameless')}</span>`
      }
      ${
        rare.length > 0 &&
        html`
        <details class="rare" open=${rare.some((name) => query[name] !== undefined)}>
          <summary>${t('filter.more')}</summary>
          <div class="filters">${rare.map(field)}</div>
        </details>
      `
      }
      ${any && html`<${Button} kind="quiet" onClick=${clear}>${t('filter.clear')}<//>`}
    </form>
  `;
}

const localTime = (millis) => (millis > 0 && millis < LAST_MILLIS ? localInput(Number(millis)).slice(0, 16) : '');

/** Takes effect when the user pauses. A year before 1970 is one of which only the first digits are typed. */
function Field({ name, value, hint }) {
  const label = hint ?? t(`filter.${name}`);
  const { attributes, list } = useSuggestions(SUGGESTED[name]);
  const isTime = TIMES.includes(name);
  const shown = isTime ? localTime(value) : value;
  const [typed, setTyped] = useState(shown);
  const timer = useRef(0);
  useEffect(() => setTyped(shown), [shown]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (event) => {
    const next = event.target.value;
    setTyped(next);
    clearTimeout(timer.current);
    const wanted = isTime && next ? Date.parse(next) : next;
    if (wanted < 0) return;
    timer.current = setTimeout(() => refine({ ...NO_PARTS, [name]: wanted || null }), PAUSE_MILLIS);
  };
  if (isTime)
    return html`
      <label class="timed">
        <span>${t(`filter.${name}`)}</span>
        <input type="datetime-local" name=${name} max=${LAST_TIME} value=${typed} onInput=${type} />
      </label>
    `;
  return html`
    <label>
      <span class="visually-hidden">${label}</span>
      <input type="search" name=${name} maxlength=${SHORT.includes(name) ? 200 : 500} placeholder=${label} ...${attributes}
        value=${typed} onInput=${type} />
      ${list}
    </label>
  `;
}
