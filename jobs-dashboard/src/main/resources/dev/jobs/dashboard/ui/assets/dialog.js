/** Questions before an action. The browser's own dialog keeps the focus inside and restores it. */

import { html, render, useEffect, useId, useRef, useState } from './html.js';
import { t } from './i18n.js';
import { Button } from './basics.js';

/** @param {{ title: string, wide?: boolean, onClose: () => void, children?: unknown }} props */
export function Dialog({ title, wide, onClose, children }) {
  const element = useRef(null);
  const id = useId();
  useEffect(() => {
    element.current.showModal();
  }, []);
  // The second click of a double click on the button that opened the dialog leaves it open.
  const closeOutside = (event) => event.target === element.current && event.detail < 2 && element.current.close();
  return html`
    <dialog ref=${element} class=${wide ? 'wide' : ''} aria-labelledby=${id} onClose=${onClose} onClick=${closeOutside}>
      <h2 id=${id}>${title}</h2>
      ${children}
    </dialog>
  `;
}

/** Whether a question waits for its answer. */
let asking = false;

/**
 * Shows a dialog until `content` calls its argument with an answer, or the user leaves it, which answers null. So does
 * a second question before the first is answered: a double click asks once.
 */
function ask(title, content) {
  if (asking) return Promise.resolve(null);
  asking = true;
  return new Promise((resolve) => {
    const host = document.body.appendChild(document.createElement('div'));
    const answer = (value) => {
      if (!host.isConnected) return; // closing notifies us once more
      asking = false;
      resolve(value);
      // An open dialog that is only removed from the document doesn't restore the focus.
      host.querySelector('dialog').close();
      render(null, host);
      host.remove();
    };
    render(html`<${Dialog} title=${title} onClose=${() => answer(null)}>${content(answer)}<//>`, host);
  });
}

/**
 * @param {{ title: string, text: string, verb: string, danger?: boolean }} question the text says how many jobs it
 *     affects
 * @returns {Promise<boolean>}
 */
export async function confirm({ title, text, verb, danger }) {
  const answer = await ask(
    title,
    (done) => html`
      <p>${text}</p>
      <footer>
        <${Button} onClick=${() => done(null)}>${t('action.cancel')}<//>
        <${Button} kind=${danger ? 'danger' : 'primary'} onClick=${() => done(true)}>${verb}<//>
      </footer>
    `,
  );
  return answer === true;
}

/** Asks for a future time. @returns {Promise<number | null>} epoch milliseconds */
export const askTime = (title, text, initial) =>
  ask(title, (done) => html`<${TimeForm} text=${text} initial=${initial} onDone=${done} />`);

function TimeForm({ text, initial, onDone }) {
  const [value, setValue] = useState(localInput(initial));
  const id = useId();
  const submit = (event) => {
    event.preventDefault();
    onDone(new Date(value).getTime());
  };
  return html`
    <form onSubmit=${submit}>
      <p>${text}</p>
      <div class="field">
        <label for=${id}>${t('field.time')}</label>
        <input
          id=${id}
          type="datetime-local"
          step="1"
          required
          value=${value}
          onInput=${(event) => setValue(event.target.value)}
        />
      </div>
      <footer>
        <${Button} onClick=${() => onDone(null)}>${t('action.cancel')}<//>
        <button type="submit" class="button primary">${t('action.reschedule')}</button>
      </footer>
    </form>
  `;
}

/** Asks for a whole number from 1 to `most`. @returns {Promise<number | null>} */
export const askNumber = (title, text, verb, initial, most) =>
  ask(title, (done) => html`<${NumberForm} text=${text} verb=${verb} initial=${initial} most=${most} onDone=${done} />`);

function NumberForm({ text, verb, initial, most, onDone }) {
  const [value, setValue] = useState(initial ?? '');
  const id = useId();
  const submit = (event) => {
    event.preventDefault();
    onDone(Number(value));
  };
  return html`
    <form onSubmit=${submit}>
      <p>${text}</p>
      <div class="field">
        <label for=${id}>${t('field.number')}</label>
        <input id=${id} type="number" min="1" max=${most} step="1" required value=${value}
          onInput=${(event) => setValue(event.target.value)} />
      </div>
      <footer>
        <${Button} onClick=${() => onDone(null)}>${t('action.cancel')}<//>
        <button type="submit" class="button primary">${verb}</button>
      </footer>
    </form>
  `;
}

/** The format of a `datetime-local` field: local time without a zone. @param {number} millis */
export function localInput(millis) {
  const offset = new Date(millis).getTimezoneOffset() * 60_000;
  return new Date(millis - offset).toISOString().slice(0, 19);
}
