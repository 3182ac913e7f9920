/** Short messages about completed actions, with an undo if possible. */

import { Button, IconButton } from './basics.js';
import { html } from './html.js';
import { t } from './i18n.js';
import { store, useStore } from './store.js';

const STAYS_MILLIS = 8_000;
/** A message with an action stays longer, since the user needs time to decide. */
const STAYS_WITH_ACTION_MILLIS = 30_000;
const MOST = 4;

const toasts = store([]);
let last = 0;

/**
 * @param {string} text
 * @param {{ label: string, run: () => void }} [action]
 */
export function toast(text, action) {
  const id = ++last;
  toasts.set([...toasts.get(), { id, text, action }].slice(-MOST));
  setTimeout(() => dismiss(id), action ? STAYS_WITH_ACTION_MILLIS : STAYS_MILLIS);
}

function dismiss(id) {
  toasts.set(toasts.get().filter((some) => some.id !== id));
}

export function Toasts() {
  const shown = useStore(toasts);
  const run = ({ id, action }) => {
    dismiss(id);
    action.run();
  };
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${shown.map(
        (some) => html`
          <div class="toast" key=${some.id}>
            <span>${some.text}</span>
            ${some.action && html`<${Button} onClick=${() => run(some)}>${some.action.label}<//>`}
            <${IconButton} name="close" label=${t('action.close')} onClick=${() => dismiss(some.id)} />
          </div>
        `,
      )}
    </div>
  `;
}
