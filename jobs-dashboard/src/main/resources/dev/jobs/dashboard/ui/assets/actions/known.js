/** Names that fields suggest: jobs that workers know, and queues. */

import { get, session } from '../api.js';
import { html, useId } from '../html.js';
import { store, useStore } from '../store.js';

const KEPT_MILLIS = 60_000;

/** @type {{ get: () => { jobs: string[], queues: string[] }, set: (names: { jobs: string[], queues: string[] }) => void }} */
const names = store({ jobs: [], queues: [] });
let asked = 0;

/** Loads the names, unless they are young. Without them there are no suggestions, and nothing else is missing. */
export function loadNames() {
  if (!session.get().features.enqueue || Date.now() - asked < KEPT_MILLIS) return;
  asked = Date.now();
  get('known').then(names.set, () => {
    asked = 0;
  });
}

/**
 * What an input needs to suggest names: attributes for it, and the list to put beside it.
 *
 * @param {'jobs' | 'queues' | undefined} kind
 */
export function useSuggestions(kind) {
  const id = useId();
  const known = useStore(names);
  if (!kind) return { attributes: {}, list: null };
  return {
    attributes: { list: id, onFocus: loadNames },
    list: html`<datalist id=${id}>${known[kind].map((name) => html`<option value=${name}></option>`)}</datalist>`,
  };
}
