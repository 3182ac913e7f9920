/** Long lists in slices: to render all rows of one at once would keep the page from answering its user. */

import { useEffect, useState } from '../html.js';

/** The rows of the smallest page, which are more than most screens have room for. */
const SLICE = 25;

/**
 * The first items of a list, soon followed by the others, a slice in each frame. A list that is read again keeps what
 * is rendered of it.
 *
 * @template T
 * @param {T[]} items
 * @param {string} address what they are read from: another one begins another list
 * @returns {T[]}
 */
export function useSlices(items, address) {
  const [rendered, setRendered] = useState({ address, count: SLICE });
  const count = rendered.address === address ? rendered.count : SLICE;
  const more = count < items.length;
  useEffect(() => {
    if (more) setRendered({ address, count: count + SLICE });
  }, [address, count, more]);
  return more ? items.slice(0, count) : items;
}
