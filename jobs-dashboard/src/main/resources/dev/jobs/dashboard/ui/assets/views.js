/** Views that the user saved: pages with their filters, in this browser. */

import { Button, IconButton } from './basics.js';
import { ask } from './dialog.js';
import { html, useId, useState } from './html.js';
import { t } from './i18n.js';
import { link, useLocation } from './router.js';
import { saveViews, savedViews } from './settings.js';
import { useStore } from './store.js';

const MOST = 20;
/** What is only where the user is at the moment. */
const PASSING = ['from', 'after', 'processes'];

/** The saved views, and a button that saves the present one. */
export function Views() {
  const { page, query } = useLocation();
  const views = useStore(savedViews);
  const lasting = Object.fromEntries(Object.entries(query).filter(([name]) => !PASSING.includes(name)));
  const target = link(page, lasting);
  const saved = views.some((view) => view.target === target);
  // A job, or one of many that look alike, is no view.
  const worthIt = Object.keys(lasting).length > 0 && page !== 'job' && !saved && views.length < MOST;
  const save = async () => {
    const name = await ask(t('views.save'), (done) => html`<${NameForm} onDone=${done} />`);
    if (name) saveViews([...views, { name, target }]);
  };
  if (!views.length && !worthIt) return null;
  return html`
    <nav class="views" aria-label=${t('views.title')}>
      ${views.length > 0 && html`<h2>${t('views.title')}</h2>`}
      <ul>
        ${views.map(
          (view) => html`
            <li key=${view.target}>
              <a href=${view.target} aria-current=${view.target === target ? 'page' : undefined}>${view.name}</a>
              <${IconButton} name="remove" label=${t('views.remove')} of=${view.name}
                onClick=${() => saveViews(views.filter((other) => other !== view))} />
            </li>
          `,
        )}
      </ul>
      ${worthIt && html`<${Button} kind="quiet" onClick=${save}>${t('views.save')}<//>`}
    </nav>
  `;
}

function NameForm({ onDone }) {
  const [name, setName] = useState('');
  const id = useId();
  const submit = (event) => {
    event.preventDefault();
    onDone(name.trim());
  };
  return html`
    <form onSubmit=${submit}>
      <p>${t('views.text')}</p>
      <div class="field">
        <label for=${id}>${t('views.name')}</label>
        <input id=${id} type="text" maxlength="60" required autocomplete="off" value=${name}
          onInput=${({ target }) => setName(target.value)} />
      </div>
      <footer>
        <${Button} onClick=${() => onDone(null)}>${t('action.cancel')}<//>
        <button type="submit" class="button primary">${t('action.save')}</button>
      </footer>
    </form>
  `;
}
