/** Which system the pages show, and which others they could. */

import { session } from './api.js';
import { html, useId, useRef, useState } from './html.js';
import { t } from './i18n.js';
import { Icon } from './icon.js';
import { elsewhere, isOverAll, overAll, PAGES_OF_ALL, presentShard } from './shards/shards.js';
import { useStore } from './store.js';

/** The title of the document: of several tabs, the one of production is to be told from that of a test. */
export function documentTitle(title) {
  const { name, environment } = session.get().system;
  return [title, shardName(), environment, name, t('app.title')].filter(Boolean).join(' · ');
}

/** The name of the shard that the pages show, or of all of them; nothing if there is only one. */
const shardName = () => (isOverAll() ? t('shards.all') : presentShard()?.name);

/** @param {{ name: string | null, environment: string, shard?: string }} props */
const Names = ({ name, environment, shard }) => html`
  ${name && html`<span class="break">${name}</span>`}
  ${environment && html` <b class="environment">${environment}</b>`}
  ${shard && html` <b class="badge">${shard}</b>`}
`;

/** The name of the system and of its environment. */
export function System() {
  const { system } = useStore(session);
  const shard = shardName();
  if (!system.name && !system.environment && !shard) return null;
  return html`<p class="system ${system.colour}"><${Names} ...${system} shard=${shard} /></p>`;
}

/**
 * The same; if the dashboard shows several installations or shards, with the way to the others.
 *
 * @param {{ page: string }} props page: where each of them is opened
 */
export function SystemSwitch({ page }) {
  const { system, at, installations, shards } = useStore(session);
  const [open, setOpen] = useState(false);
  const button = useRef(null);
  const list = useId();
  if (!installations?.length && !shards?.length) return html`<${System} />`;
  // As a shard, the application's own one is above.
  const others = installations.filter((other) => !shards.length || other.at);
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
        <${Names} ...${named(system)} shard=${shardName()} /><${Icon} name="switch" />
      </button>
      <div id=${list} hidden=${!open}>
        ${
          shards.length > 0 &&
          html`
          <p class="faint" id=${`${list}-shards`}>${t('nav.shards')}</p>
          <ul aria-labelledby=${`${list}-shards`}>
            <li key="all"><a href=${overAll(PAGES_OF_ALL.includes(page) ? page : '')} aria-current=${isOverAll() ? 'true' : undefined}>${t('shards.all')}</a></li>
            ${shards.map(
              (shard) => html`
                <li key=${shard.at}><a class="break" href=${elsewhere(shard.at, page)} aria-current=${isHere(shard.at)}>${shard.name}</a></li>
              `,
            )}
          </ul>
        `
        }
        ${
          others.length > 0 &&
          html`
          ${shards.length > 0 && html`<p class="faint" id=${`${list}-others`}>${t('nav.installations')}</p>`}
          <ul aria-labelledby=${shards.length ? `${list}-others` : undefined}>
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
