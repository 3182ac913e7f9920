/** Reads the data that a component shows. */

import { doneHere, get, isActing } from './api.js';
import { Button, Notice } from './basics.js';
import { errorText, wantsReload } from './errors.js';
import { html, useCallback, useEffect, useRef, useState } from './html.js';
import { t } from './i18n.js';
import { search } from './router.js';
import { useStore } from './store.js';

/**
 * Reads from the API, and again whenever the query changes, an action was done here, or `revision` changes. Until then
 * the old data stay.
 *
 * @param {string} path
 * @param {Record<string, unknown>} [query]
 * @param {unknown} [revision] such as the number of jobs that the server pushed last
 * @returns {{ data: any, error: any, wish: string, address: string, reload: () => void }} wish: the same as long as the
 *     user asks for nothing else and does nothing; address: what the data were read from
 */
export function useData(path, query = {}, revision = '') {
  const [result, setResult] = useState({ data: null, error: null, address: '', wish: '' });
  const [asked, setAsked] = useState(0);
  const done = useStore(doneHere);
  const running = useRef(null);
  const address = path + search(query);
  useEffect(() => {
    if (isActing() && result.address === address) return;
    const changed = address !== running.current?.address;
    // A slow request is not abandoned for a newer one to the same address.
    if (running.current && !changed) {
      running.current.again = true;
      return;
    }
    running.current?.abort.abort();
    const run = { address, abort: new AbortController(), again: false };
    running.current = run;
    get(path, query, run.abort.signal)
      .then((data) => ({ data, error: null, address, wish: `${address} ${done}` }))
      .catch((error) => (error.name === 'AbortError' ? null : { error }))
      .then((next) => {
        if (running.current !== run || !next) return;
        running.current = null;
        setResult((last) => (next.error ? { ...last, ...next } : next));
        if (run.again) setAsked((count) => count + 1);
      });
  }, [address, revision, done, asked]);
  useEffect(() => () => running.current?.abort.abort(), []);
  const reload = useCallback(() => setAsked((count) => count + 1), []);
  return { ...result, reload };
}

/**
 * Shows data once they are loaded, and errors above them.
 *
 * @param {{ of: ReturnType<typeof useData>, children: (data: any, wish: string, address: string) => unknown }} props
 */
export const Loaded = ({ of: { data, error, wish, address, reload }, children }) => html`
  <div class="stack">
    ${
      error &&
      html`
      <${Notice}
        kind="error"
        title=${errorText(error)}
        action=${
          wantsReload(error)
            ? html`<${Button} onClick=${() => location.reload()}>${t('action.reload')}<//>`
            : html`<${Button} onClick=${reload}>${t('action.retry')}<//>`
        }
      />
    `
    }
    ${data ? children(data, wish, address) : !error && html`<div class="loading" role="status" aria-label=${t('loading')}></div>`}
  </div>
`;
