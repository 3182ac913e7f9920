/** Asks for a queue. */

import { Button } from '../basics.js';
import { html, useEffect, useId, useState } from '../html.js';
import { t } from '../i18n.js';
import { loadNames, useSuggestions } from './known.js';

/** @param {{ text: string, except?: string, onDone: (queue: string | null) => void }} props except: not this one */
export function QueueForm({ text, except, onDone }) {
  const [queue, setQueue] = useState('');
  useEffect(loadNames, []);
  const submit = (event) => {
    event.preventDefault();
    onDone(queue.trim());
  };
  const same = queue.trim() === except;
  return html`
    <form onSubmit=${submit}>
      <p>${text}</p>
      <${QueueField} label=${t('field.to-queue')} value=${queue} onChange=${setQueue} />
      ${same && html`<p class="bad" role="alert">${t('move.same')}</p>`}
      <footer>
        <${Button} onClick=${() => onDone(null)}>${t('action.cancel')}<//>
        <button type="submit" class="button primary" disabled=${same || !queue.trim()}>${t('action.move')}</button>
      </footer>
    </form>
  `;
}

/** @param {{ label: string, value: string, onChange: (queue: string) => void }} props */
export function QueueField({ label, value, onChange }) {
  const id = useId();
  const { attributes, list } = useSuggestions('queues');
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input id=${id} name="to" type="text" maxlength="128" pattern="[A-Za-z0-9_.:\\-]+" title=${t('field.queue.form')} required
        autocomplete="off" ...${attributes} value=${value} onInput=${({ target }) => onChange(target.value)} />
      ${list}
    </div>
  `;
}
