/** The frame of all pages: navigation, search by id, state of the connection, language, light and dark. */

import { foundFeatures, session } from './api.js';
import { Badge, Button, IconButton } from './basics.js';
import { Dialog } from './dialog.js';
import { isOverAll, overAll, pagesOverAll, presentDivision, textOverAll } from './divisions.js';
import { errorText } from './errors.js';
import { html, useEffect, useRef, useState } from './html.js';
import { compact, language, LANGUAGES, languageName, t } from './i18n.js';
import { Icon } from './icon.js';
import { foundLink, openJob } from './jobs/find.js';
import { placeName } from './jobs/places.js';
import { connection, live } from './live.js';
import { link, useLocation } from './router.js';
import { chooseLanguage, chooseTimes, exactTimes, toggleTheme } from './settings.js';
import { useStore } from './store.js';
import { System, SystemSwitch } from './system.js';
import { toast, Toasts } from './toast.js';
import { Views } from './views.js';

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

/** Those of the menu, with the pages of features that only the server lists. */
const menu = () => [
  ...PAGES,
  ...foundFeatures().map(({ pages: [page, ...also] }) => ({ page, name: page, count: undefined, feature: undefined, also })),
];

/** The page of the menu to which the present one belongs. */
const entryOf = (present) => menu().find(({ page, also = [] }) => page === present || also.includes(present));

/** The pages of the view over all divisions: that of running jobs lists their processes, and the overview has an entry of its own. */
const menuOverAll = () =>
  PAGES.filter(({ page }) => page && pagesOverAll().includes(page)).map((entry) =>
    entry.page === 'busy' ? { ...entry, name: 'processes', count: 'processes' } : entry,
  );

/** The same page of another installation, or the list that the present one comes from; not every one has a history. */
function pageElsewhere(present) {
  const entry = entryOf(present);
  return !entry || entry.page === 'history' ? '' : entry.page;
}

export function Shell({ children }) {
  const [open, setOpen] = useState(false);
  const shown = useLocation();
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
    if (!first.current) requestAnimationFrame(() => main.current.focus({ preventScroll: true })); // by then it is no longer behind the menu
    first.current = false;
  }, [shown.page]);
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
        <${System} />
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
        <div class="which">
          <a class="brand" href="./"><${Icon} name="brand" />${t('app.title')}</a>
          <${SystemSwitch} page=${pageElsewhere(shown.page)} />
        </div>
        <${Find} />
        <${Navigation} page=${shown.page} />
        ${!isOverAll() && html`<${Views} />`}
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
  const all = isOverAll();
  const pages = all ? menuOverAll() : menu().filter(({ feature }) => !feature || features[feature]);
  return html`
    <nav aria-label=${t('nav.pages')}>
      <ul>
        ${
          (all || presentDivision()) &&
          html`
          <li key="over-all">
            <a href=${overAll('')} aria-current=${all && present === '' ? 'page' : undefined}><${Icon} name="divisions" />${t(textOverAll('nav'))}</a>
          </li>
        `
        }
        ${pages.map(
          ({ page, name, count }) => html`
            <li key=${name}>
              <a href=${link(page)} aria-current=${page === entryOf(present)?.page ? 'page' : undefined}>
                <${Icon} name=${name === 'processes' ? 'busy' : name} />${t(`nav.${name}`)}
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
              <li>
                <a href=${foundLink({ ...some, jid: jid.trim() })}>${some.name ?? jid}</a> <${Badge}>${placeName(some)}<//>
                ${some.division && html` <${Badge}>${some.division.name}<//>`}
              </li>
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
  const kind = { live: 'good', lost: 'bad', link: 'bad', down: 'bad', refused: 'bad' }[state] ?? '';
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
