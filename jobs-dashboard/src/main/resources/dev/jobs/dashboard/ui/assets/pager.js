/** Pages of a list. */

import { Button } from './basics.js';
import { html } from './html.js';
import { t } from './i18n.js';
import { turn } from './router.js';

const SIZES = [25, 50, 100];

/** Whether there is nothing in a list and nothing more to search. */
export const isEmpty = ({ items, from, next }) => !items.length && !from && next === null;

/**
 * Pages through a list by the query's `from`. A search that stopped at its budget can be continued.
 *
 * @param {{ list: { from: number, size: number, total: number | null, next: number | null, partial: boolean,
 *     items: object[] }, filtered?: boolean, sized?: boolean, at?: string, of?: string }} props sized: whether the query's
 *     `size` says how many items a page has; at, of: if the page has several lists, the parameter in place of `from`, and
 *     the name of this one
 */
export function Pager({ list: { from, size, total, next, partial, items }, filtered, sized, at = 'from', of }) {
  const smallest = sized ? SIZES[0] : size;
  if (!from && next === null && items.length <= smallest) return null;
  const counted = !filtered && total !== null;
  const back = filtered ? 0 : Math.max(from - size, 0); // the start of the previous matches is unknown
  const last = Math.max(0, Math.floor(((total ?? 0) - 1) / size) * size);
  const move = (text, to) => html`<${Button} onClick=${() => turn({ [at]: to || null })}>${text}<//>`;
  return html`
    <nav class="pager" aria-label=${of ? t('action.of', t('pager.label'), of) : t('pager.label')}>
      ${sized && html`<${Size} size=${size} at=${at} />`}
      ${counted && html`<span>${t('pager.range', from + 1, from + items.length, total)}</span>`}
      ${partial && html`<span>${t('pager.partial', total ?? 0)}</span>`}
      ${from > size && counted && move(t('pager.first'), 0)}
      ${from > 0 && move(t(filtered ? 'pager.start' : 'pager.back'), back)}
      ${next !== null && move(t(partial ? 'pager.search-on' : 'pager.next'), next)}
      ${next !== null && counted && last > next && move(t('pager.last'), last)}
    </nav>
  `;
}

const Size = ({ size, at }) => html`
  <label class="size">
    <span>${t('pager.size')}</span>
    <select value=${size} onChange=${({ target }) => turn({ size: target.value, [at]: null })}>
      ${SIZES.map((each) => html`<option value=${each}>${each}</option>`)}
    </select>
  </label>
`;
