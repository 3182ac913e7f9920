/** Questions before an action. The browser's own dialog keeps the focus inside and restores it. */

import { Button } from './basics.js';
import { html, render, useEffect, useId, useRef, useState } from './html.js';
import { t } from './i18n.js';
import { TimeField } from './time-field.js';

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
 *
 * @template T
 * @param {string} title
 * @param {(answer: (value: T | null) => void) => unknown} content
 * @param {boolean} [wide]
 * @returns {Promise<T | null>}
 */
export function ask(title, content, wide = false) {
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
    render(html`<${Dialog} title=${title} wide=${wide} onClose=${() => answer(null)}>${content(answer)}<//>`, host);
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
  const [at, setAt] = useState(initial);
  const submit = (event) => {
    event.preventDefault();
    onDone(at);
  };
  return html`
    <form onSubmit=${submit}>
      <p>${text}</p>
      <${TimeField} value=${at} onChange=${setAt} />
      <footer>
        <${Button} onClick=${() => onDone(null)}>${t('action.cancel')}<//>
        <button type="submit" class="button primary" disabled=${at === null}>${t('action.reschedule')}</button>
      </footer>
    </form>
  `;
}

/** Asks for a whole number from 1 to `most`. @returns {Promise<number | null>} */
export const askNumber = async (title, text, verb, initial, most) => {
  const numbers = await askNumbers(title, text, verb, [{ label: t('field.number'), initial, least: 1, most }]);
  return numbers && numbers[0];
};

/**
 * Asks for numbers. `step` of a field is 1 unless it is given.
 * @param {{ label: string, initial?: number | null, least: number, most: number, step?: number }[]} fields
 * @returns {Promise<number[] | null>}
 */
export const askNumbers = (title, text, verb, fields) =>
  ask(title, (done) => html`<${NumbersForm} text=${text} verb=${verb} fields=${fields} onDone=${done} />`);

function NumbersForm({ text, verb, fields, onDone }) {
  const [values, setValues] = useState(fields.map(({ initial }) => initial ?? ''));
  const id = useId();
  const submit = (event) => {
    event.preventDefault();
    onDone(values.map(Number));
  };
  return html`
    <form onSubmit=${submit}>
      <p>${text}</p>
      ${fields.map(
        ({ label, least, most, step = 1 }, i) => html`
          <div class="field" key=${label}>
            <label for=${`${id}-${i}`}>${label}</label>
            <input id=${`${id}-${i}`} type="number" min=${least} max=${most} step=${step} required value=${values[i]}
              onInput=${(event) => setValues(values.map((value, at) => (at === i ? event.target.value : value)))} />
          </div>
        `,
      )}
      <footer>
        <${Button} onClick=${() => onDone(null)}>${t('action.cancel')}<//>
        <button type="submit" class="button primary">${verb}</button>
      </footer>
    </form>
  `;
}
