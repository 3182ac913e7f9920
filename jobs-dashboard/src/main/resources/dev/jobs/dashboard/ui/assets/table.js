/** Tables: as wide as their card, or folded where their columns have no room. */

import { html, useLayoutEffect, useRef } from './html.js';
import { language } from './i18n.js';
import { exactTimes } from './settings.js';

/** On a phone all tables are folded, so that their rows look alike. */
const PHONE = matchMedia('(width < 46rem)');

/**
 * A table whose rows become cards if it would stick out of its parent; a cell with a `data-label` then shows it, since
 * the head is hidden. Measured after each change that may matter: how wide the columns are depends on the data, the
 * language and the font.
 *
 * @param {{ class?: string, children?: unknown }} props
 */
export function Table({ class: more = '', children }) {
  const element = useRef(null);
  const rendered = useRef(nothing);
  useLayoutEffect(() => {
    const folding = foldingOf(element.current);
    rendered.current = folding.rendered;
    return folding.end;
  }, []);
  useLayoutEffect(() => rendered.current());
  return html`<table ref=${element} class="table ${more}">${children}</table>`;
}

const nothing = () => {};

/**
 * Keeps a table folded while it has no room. To measure a folded one, the browser has to lay it out in both ways, which
 * takes long if there are many rows. So that is done only if it may have become narrower, or its parent wider than
 * that.
 *
 * @param {HTMLTableElement} table
 */
function foldingOf(table) {
  const parent = table.parentElement;
  let needed = 0; // as wide as a folded one would be
  const isFolded = () => table.classList.contains('folded');
  const measure = () => {
    table.classList.remove('folded');
    needed = PHONE.matches ? 0 : table.offsetWidth;
    table.classList.toggle('folded', PHONE.matches || needed > parent.clientWidth);
  };
  const resized = () => {
    if (!isFolded() || PHONE.matches || needed <= parent.clientWidth) measure();
  };
  let width = 0;
  const size = new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width !== width) requestAnimationFrame(resized);
    width = contentRect.width;
  });
  size.observe(parent);
  // More rows need no less room.
  const removals = new MutationObserver((records) => {
    if (isFolded() && !PHONE.matches && records.some(({ removedNodes }) => removedNodes.length > 0)) measure();
  });
  removals.observe(table, { childList: true, subtree: true });
  const reworded = () => requestAnimationFrame(measure); // by then all texts are rendered
  const ends = [language.watch(reworded), exactTimes.watch(reworded)];
  return {
    rendered: () => isFolded() || measure(),
    end: () => {
      size.disconnect();
      removals.disconnect();
      ends.forEach((end) => end());
    },
  };
}

/**
 * How a list is sorted, and how that is chosen.
 *
 * @typedef {{ by: string, turned: boolean, onSort: (by: string, turned: boolean) => void }} Sort
 */

/**
 * The head of a column by which the list can be sorted; pressed again, it turns the order. Without `sort` an ordinary head.
 *
 * @param {{ name: string, sort?: Sort, numeric?: boolean, children?: unknown }} props
 */
export function SortHead({ name, sort, numeric, children }) {
  const kind = numeric ? 'number' : '';
  if (!sort) return html`<th class=${kind}>${children}</th>`;
  const here = sort.by === name;
  // What comes first of a column unturned: names from A, numbers from the greatest.
  const falling = Boolean(numeric) !== sort.turned;
  const state = here ? (falling ? 'descending' : 'ascending') : undefined;
  return html`
    <th class=${kind} aria-sort=${state}>
      <button type="button" class="sort" onClick=${() => sort.onSort(name, here && !sort.turned)}>${children}</button>
    </th>
  `;
}
