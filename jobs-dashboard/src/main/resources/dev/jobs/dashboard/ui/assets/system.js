/** Which system the pages show, and which others they could. */

import { session } from './api.js';
import { divisions, elsewhere, isOverAll, overAll, pagesOverAll, presentDivision, textOverAll } from './divisions.js';
import { html, useId, useRef, useState } from './html.js';
import { t } from './i18n.js';
import { Icon } from './icon.js';
import { useStore } from './store.js';

/** The title of the document: of several tabs, the one of production is to be told from that of a test. */
export function documentTitle(title) {
  const { name, environment } = session.get().system;
  return [title, divisionName(), environment, name, t('app.title')].filter(Boolean).join(' · ');
}

/** The name of the division that the pages show, or of all of them; nothing if there is only one. */
const divisionName = () => (isOverAll() ? t(textOverAll('all')) : presentDivision()?.name);

/** @param {{ name: string | null, environment: string, division?: string }} props */
const Names = ({ name, environment, division }) => html`
  ${name && html`<span class="break">${name}</span>`}
  ${environment && html` <b class="environment">${environment}</b>`}
  ${division && html` <b class="badge">${division}</b>`}
`;

/** The name of the system and of its environment. */
export function System() {
  const { system } = useStore(session);
  const division = divisionName();
  if (!system.name && !system.environment && !division) return null;
  return html`<p class="system ${system.colour}"><${Names} ...${system} division=${division} /></p>`;
}

/**
 * The same; if the dashboard shows several installations, with the way to the others.
 *
 * @param {{ page: string }} props page: where each of them is opened
 */
export function SystemSwitch({ page }) {
  const { system, at, installations } = useStore(session);
  const [open, setOpen] = useState(false);
  const button = useRef(null);
  const list = useId();
  const own = divisions();
  if (!installations?.length && !own.length) return html`<${System} />`;
  // As a division, the application's own one is above.
  const others = installations.filter((other) => !own.length || other.at);
  const onKeyDown = (event) => {
    if (!open || event.key !== 'Escape') return;
    event.stopPropagation(); // the menu around it stays open
    setOpen(false);
    button.current.focus();
  };
  const isHere = (to) => (to === at ? 'true' : undefined);
  return html`
    <nav class="switch" aria-label=${t('nav.installations')} onKeyDown=${onKeyDown}>
      <button ref=${button} type="button" class="system ${system.colour}" aria-expanded=${String(open)} aria-controls=${list}
        onClick=${() => setOpen(!open)}>
        <${Names} ...${named(system)} division=${divisionName()} /><${Icon} name="switch" />
      </button>
      <div id=${list} hidden=${!open}>
        ${
          own.length > 0 &&
          html`
          <p class="faint" id=${`${list}-own`}>${t(textOverAll('nav'))}</p>
          <ul aria-labelledby=${`${list}-own`}>
            <li key="all"><a href=${overAll(pagesOverAll().includes(page) ? page : '')} aria-current=${isOverAll() ? 'true' : undefined}>${t(textOverAll('all'))}</a></li>
            ${own.map(
              (each) => html`
                <li key=${each.at}><a class="break" href=${elsewhere(each.at, page)} aria-current=${isHere(each.at)}>${each.name}</a></li>
              `,
            )}
          </ul>
        `
        }
        ${
          others.length > 0 &&
          html`
          ${own.length > 0 && html`<p class="faint" id=${`${list}-others`}>${t('nav.installations')}</p>`}
          <ul aria-labelledby=${own.length ? `${list}-others` : undefined}>
            ${others.map(
              (other) => html`
                <li key=${other.at}>
                  <a class="system ${other.system.colour}" href=${elsewhere(other.at, page)} aria-current=${isHere(other.at)}>
                    <${Names} ...${named(other.system)} />
                  </a>
                </li>
              `,
            )}
          </ul>
        `
        }
      </div>
    </nav>
  `;
}

/** An application may have no name. */
const named = (system) => ({ ...system, name: system.name ?? t('app.title') });
