/** The frame of all pages: navigation, search by id, state of the connection, language, light and dark. */

import { session } from './api.js';
import { Badge, Button, IconButton } from './basics.js';
import { Dialog } from './dialog.js';
import { errorText } from './errors.js';
import { openJob } from './find.js';
import { html, useEffect, useRef, useState } from './html.js';
import { compact, language, LANGUAGES, languageName, t } from './i18n.js';
import { Icon } from './icon.js';
import { jobLink, placeName } from './places.js';
import { connection, live } from './live.js';
import { link, usePlace } from './router.js';
import { chooseLanguage, chooseTimes, exactTimes, toggleTheme } from './settings.js';
import { useStore } from './store.js';
import { toast, Toasts } from './toast.js';

/** The pages in their order; `count` picks from the live numbers, `feature` names what the server must have. */
const PAGES = [
  { page: '', name: 'overview' },
  { page: 'busy', name: 'busy', count: 'busy' },
  { page: 'queues', name: 'queues', count: 'enqueued', also: ['queue'] },
  { page: 'batches', name: 'batches', also: ['batch'] },
  { page: 'history', name: 'history', feature: 'history' },
  { page: 'scheduled', name: 'scheduled', count: 'scheduled' },
  { page: 'retries', name: 'retries', count: 'retries' },
  { page: 'dead', name: 'dead', count: 'dead' },
  { page: 'failures', name: 'failures' },
  { page: 'metrics', name: 'metrics', also: ['metric'] },
  { page: 'recurring', name: 'recurring', feature: 'recurring' },
  { page: 'limits', name: 'limits', also: ['limit'] },
  { page: 'trash', name: 'trash' },
];

export function Shell({ children }) {
  const [open, setOpen] = useState(false);
  const place = usePlace();
  const main = useRef(null);
  const side = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    if (open) side.current.focus();
  }, [open]);
  const close = () => {
    setOpen(false);
    document.getElementById('menu').focus();
  };
  useEffect(() => {
    setOpen(false);
    // As after loading a page, the next tab stop is in the new content; at the very start it is the skip link.
    if (!first.current) requestAnimationFrame(() => main.current.focus()); // by then it is no longer behind the menu
    first.current = false;
  }, [place.page]);
  return html`
    <button type="button" class="skip" onClick=${() => main.current.focus()}>${t('nav.skip')}</button>
    <div class="shell">
      <header class="topbar">
        <${IconButton}
          id="menu"
          name="menu"
          label=${t('nav.menu')}
          aria-expanded=${String(open)}
          aria-controls="side"
          onClick=${() => setOpen(!open)}
        />
        <a class="brand" href="./">${t('app.title')}</a>
        <${Connection} />
      </header>
      ${open && html`<button type="button" class="scrim" aria-label=${t('action.close')} onClick=${close}></button>`}
      <aside
        ref=${side}
        id="side"
        tabindex="-1"
        aria-label=${t('nav.menu')}
        class="side ${open ? 'open' : ''}"
        onKeyDown=${(event) => open && event.key === 'Escape' && close()}
      >
        <a class="brand" href="./"><${Icon} name="brand" />${t('app.title')}</a>
        <${Find} />
        <${Navigation} page=${place.page} />
        <${Foot} />
      </aside>
      <main ref=${main} tabindex="-1" inert=${open}>${children}</main>
    </div>
    <${Toasts} />
  `;
}

function Navigation({ page: present }) {
  const numbers = useStore(live);
  const { features } = useStore(session);
  return html`
    <nav aria-label=${t('nav.pages')}>
      <ul>
        ${PAGES.filter(({ feature }) => !feature || features[feature]).map(
          ({ page, name, count, also = [] }) => html`
            <li key=${name}>
              <a href=${link(page)} aria-current=${page === present || also.includes(present) ? 'page' : undefined}>
                <${Icon} name=${name} />${t(`nav.${name}`)}
                ${count && numbers && html`<span class="count">${compact(numbers[count])}</span>`}
              </a>
            </li>
          `,
        )}
      </ul>
    </nav>
  `;
}

/** Finds a job by its id wherever it is. */
function Find() {
  const [jid, setJid] = useState('');
  const [found, setFound] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    try {
      setFound(await openJob(jid.trim()));
    } catch (error) {
      toast(errorText(error));
    }
  };
  return html`
    <form class="find" role="search" aria-label=${t('find.label')} onSubmit=${submit}>
      <input type="search" maxlength="200" required placeholder=${t('find.placeholder')} aria-label=${t('find.label')} value=${jid}
        onInput=${(event) => setJid(event.target.value)} />
    </form>
    ${
      found &&
      html`
      <${Dialog} title=${t('find.several')} onClose=${() => setFound(null)}>
        <ul class="stack" onClick=${() => setFound(null)}>
          ${found.map(
            (some) => html`
              <li><a href=${jobLink({ ...some, jid: jid.trim() })}>${some.name ?? jid}</a> <${Badge}>${placeName(some)}<//></li>
            `,
          )}
        </ul>
      <//>
    `
    }
  `;
}

function Connection() {
  const state = useStore(connection);
  const kind = { live: 'good', lost: 'bad', down: 'bad', refused: 'bad' }[state] ?? '';
  return html`<p class="connection" role="status"><span class="dot ${kind}"></span>${t(`connection.${state}`)}</p>`;
}

function Foot() {
  const { actor, role, version } = useStore(session);
  const exact = useStore(exactTimes);
  return html`
    <div class="side-foot">
      <${Connection} />
      <p class="break">${t(`role.${role}`, actor)}</p>
      <div class="row">
        <select
          aria-label=${t('nav.language')}
          value=${language.get()}
          onChange=${(event) => chooseLanguage(event.target.value)}
        >
          ${LANGUAGES.map((tag) => html`<option value=${tag} lang=${tag}>${languageName(tag)}</option>`)}
        </select>
        <${IconButton} name="sun" label=${t('nav.theme')} onClick=${toggleTheme} />
      </div>
      <label class="choice">
        <input type="checkbox" checked=${exact} onChange=${(event) => chooseTimes(event.target.checked)} />
        ${t('nav.exact-times')}
      </label>
      <p class="faint">${t('nav.version', version)}</p>
    </div>
  `;
}
