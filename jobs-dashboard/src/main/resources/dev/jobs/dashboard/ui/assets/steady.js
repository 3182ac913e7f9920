/** Live lists whose rows stay where they are while the user is about to press something there. */

import { Button } from './basics.js';
import { html, useRef, useState } from './html.js';
import { plural } from './i18n.js';

/**
 * A list that is read again and again. While the user is in it, its rows may change, but none comes, goes or moves: a button
 * says how many would, and shows them.
 *
 * @param {{ items: object[], idOf: (item: object) => string, wish?: string, children: (items: object[]) => unknown }} props
 *     items: as they were read last; wish: what the user asked for, as {@link Loaded} tells it; what is read for another one
 *     is shown at once
 */
export function Steady({ items, idOf, wish, children }) {
  const frame = useRef(null);
  const pointer = useRef(false);
  const shown = useRef({ items, wish });
  const [, setLooked] = useState(0);
  const look = () => setLooked((count) => count + 1);
  const changes = changesOf(shown.current.items, items, idOf);
  const held = changes > 0 && wish === shown.current.wish && (pointer.current || hasFocus(frame.current));
  const show = () => {
    shown.current = { items, wish };
    look();
  };
  // A finger is above nothing once it is lifted, and there is no telling where it comes down next.
  const over = ({ pointerType }) => {
    pointer.current = pointerType !== 'touch';
  };
  const left = () => {
    pointer.current = false;
    look();
  };
  if (held) {
    const fresh = new Map(items.map((item) => [idOf(item), item]));
    shown.current = { items: shown.current.items.map((item) => fresh.get(idOf(item)) ?? item), wish };
  } else {
    shown.current = { items, wish };
  }
  return html`
    <div class="steady" ref=${frame} onPointerMove=${over} onPointerLeave=${left} onFocusOut=${() => requestAnimationFrame(look)}>
      ${held && html`<p class="changes"><${Button} onClick=${show}>${plural('list.changes', changes)}<//></p>`}
      ${children(shown.current.items)}
    </div>
  `;
}

/** Whether the user of a keyboard is in an element. */
const hasFocus = (element) => element !== null && element.querySelector(':focus-visible') !== null;

/** How many items came and went; 1 if they only changed their order. */
function changesOf(before, now, idOf) {
  const old = before.map(idOf);
  const ids = now.map(idOf);
  const stayed = old.filter((id) => ids.includes(id)).length;
  const changes = old.length - stayed + ids.length - stayed;
  return changes || Number(old.some((id, i) => id !== ids[i]));
}
