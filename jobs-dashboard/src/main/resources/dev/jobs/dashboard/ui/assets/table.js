/** Tables: as wide as their card, or folded where their columns have no room. */

import { html, useLayoutEffect, useRef } from './html.js';

/** On a phone all tables are folded, so that their rows look alike. */
const PHONE = matchMedia('(width < 46rem)');

/**
 * A table whose rows become cards if it would stick out of its place; a cell with a `data-label` then shows it, since the
 * head is hidden. Measured after each change: how wide the columns are depends on the data, the language and the font.
 *
 * @param {{ class?: string, children?: unknown }} props
 */
export function Table({ class: more = '', children }) {
  const element = useRef(null);
  const fold = () => {
    const table = element.current;
    table.classList.remove('folded');
    table.classList.toggle('folded', PHONE.matches || table.offsetWidth > table.parentElement.clientWidth);
  };
  useLayoutEffect(fold);
  useLayoutEffect(() => {
    let width = 0;
    const observer = new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width !== width) requestAnimationFrame(() => element.current && fold());
      width = contentRect.width;
    });
    observer.observe(element.current.parentElement);
    return () => observer.disconnect();
  }, []);
  return html`<table ref=${element} class="table ${more}">${children}</table>`;
}
