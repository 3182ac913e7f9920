/** Fields that narrow a list; their values are in the address. */

import { Button } from './basics.js';
import { html, useEffect, useRef, useState } from './html.js';
import { t } from './i18n.js';
import { refine } from './router.js';
import { shortType } from './jobs-table.js';

const PAUSE_MILLIS = 350;
const ALL = ['text', 'job', 'queue', 'error', 'cause', 'batch', 'tag'];
/** Filters of at most 200 characters; the others have at most 500. */
const SHORT = ['text', 'error', 'batch', 'tag'];

/** The filters in a query. @returns {Record<string, string>} */
export const filtersOf = (query) =>
  Object.fromEntries(ALL.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]));

/** @param {{ query: Record<string, string>, fields: string[] }} props fields: some of those above but the cause */
export function Filters({ query, fields }) {
  const any = Object.keys(filtersOf(query)).length > 0;
  const clear = () => refine(Object.fromEntries(['from', ...ALL].map((name) => [name, null])));
  return html`
    <form class="filters" role="search" aria-label=${t('filter.label')} onSubmit=${(event) => event.preventDefault()}>
      ${fields.map((name) => html`<${Field} key=${name} name=${name} value=${query[name] ?? ''} />`)}
      ${
        query.cause !== undefined &&
        html`<span class="badge bad" title=${query.cause}>${shortType(query.cause) || t('failures.nameless')}</span>`
      }
      ${any && html`<${Button} kind="quiet" onClick=${clear}>${t('filter.clear')}<//>`}
    </form>
  `;
}

/** Takes effect when the user pauses. */
function Field({ name, value }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (event) => {
    const next = event.target.value;
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => refine({ [name]: next || null, from: null }), PAUSE_MILLIS);
  };
  return html`
    <label>
      <span class="visually-hidden">${t(`filter.${name}`)}</span>
      <input type="search" name=${name} maxlength=${SHORT.includes(name) ? 200 : 500} placeholder=${t(`filter.${name}`)}
        value=${typed} onInput=${type} />
    </label>
  `;
}
