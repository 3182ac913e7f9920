/** Small components that most pages use. */

import { html, useEffect, useState } from './html.js';
import { dateTime, exactTime, relative, t } from './i18n.js';
import { Icon } from './icon.js';
import { serverNow } from './live.js';
import { exactTimes } from './settings.js';
import { useStore } from './store.js';
import { documentTitle } from './system.js';

/**
 * The head of a page. The title of the document follows it.
 *
 * @param {{ title: string, lede?: string, crumb?: unknown, badges?: unknown, children?: unknown }} props children are the page's actions
 */
export function PageHead({ title, lede, crumb, badges, children }) {
  useEffect(() => {
    document.title = documentTitle(title);
  }, [title]);
  return html`
    <header class="page-head">
      ${crumb && html`<p class="crumb">${crumb}</p>`}
      <h1>${title}</h1>
      ${badges}
      <div class="actions">${children}</div>
      ${lede && html`<p class="lede">${lede}</p>`}
    </header>
  `;
}

/** @param {{ title?: string, aside?: unknown, flush?: boolean, children?: unknown }} props flush: no padding around the content */
export const Card = ({ title, aside, flush, children }) => html`
  <section class="card">
    ${title && html`<header><h2>${title}</h2>${aside}</header>`}
    ${flush ? children : html`<div class="body">${children}</div>`}
  </section>
`;

/** The placeholder for an empty list: why it is empty, and what to do next. */
export const Empty = ({ icon, title, children }) => html`
  <div class="empty">
    <${Icon} name=${icon} />
    <strong>${title}</strong>
    ${children && html`<p>${children}</p>`}
  </div>
`;

/** @param {{ kind?: 'info' | 'warn' | 'error', title: string, children?: unknown, action?: unknown }} props */
export const Notice = ({ kind = 'info', title, children, action }) => html`
  <div class="notice ${kind}" role=${kind === 'error' ? 'alert' : 'status'}>
    <${Icon} name=${kind === 'warn' ? 'warning' : kind} />
    <div>
      <p><strong>${title}</strong></p>
      ${children && html`<p>${children}</p>`}
    </div>
    ${action}
  </div>
`;

export const Badge = ({ kind = '', children }) => html`<span class="badge ${kind}">${children}</span>`;

/**
 * A time relative to now, which updates itself, or exact if the user chose that; the other form on hover.
 *
 * @param {{ at?: number | null }} props
 */
export function Ago({ at }) {
  const exact = useStore(exactTimes);
  useTick(at && Math.abs(at - serverNow()) < 60_000 ? 1000 : 20_000);
  if (!at) return '–';
  const distance = relative(at, serverNow());
  return html`
    <time datetime=${new Date(at).toISOString()} title=${exact ? distance : exactTime(at)}>${exact ? dateTime(at) : distance}</time>
  `;
}

/** Re-renders the component periodically. @param {number} millis */
export function useTick(millis) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), millis);
    return () => clearInterval(timer);
  }, [millis]);
}

/**
 * A row of options, one of which is selected.
 *
 * @param {{ label: string, options: [string, string][], value: string, onChoose: (value: string) => void }} props
 */
export const Segments = ({ label, options, value, onChoose }) => html`
  <div class="segments" role="group" aria-label=${label}>
    ${options.map(
      ([option, text]) => html`
        <button
          type="button"
          key=${option}
          aria-pressed=${String(option === value)}
          onClick=${() => onChoose(option)}
        >${text}</button>
      `,
    )}
  </div>
`;

/**
 * A part of a whole as a bar.
 *
 * @param {{ share: number, label?: string }} props label: for screen readers, which otherwise skip it, as when a text beside
 *     it says the same
 */
export function Meter({ share, label }) {
  const part = Math.round(Math.min(Math.max(share, 0), 1) * 1000) / 10;
  const bar = html`<i style=${{ width: `${part}%` }}></i>`;
  return label
    ? html`<span class="meter" role="progressbar" aria-label=${label} aria-valuenow=${part} aria-valuemin="0" aria-valuemax="100">${bar}</span>`
    : html`<span class="meter" aria-hidden="true">${bar}</span>`;
}

/**
 * A button with an icon only; its label is read out and shown on hover.
 *
 * @param {{ name: string, label: string, of?: string, onClick: () => void }} props of: its subject, if there is one
 *     button for each of many
 */
export const IconButton = ({ name, label, of, ...rest }) => html`
  <button
    type="button"
    class="button quiet bare"
    aria-label=${fullLabel(label, of)}
    title=${label}
    ...${rest}
  ><${Icon} name=${name} /></button>
`;

/** @param {{ kind?: string, of?: string, onClick: () => void, children?: unknown }} props of: as above; then the only child is a text */
export const Button = ({ kind = '', of, children, ...rest }) =>
  html`<button type="button" class="button ${kind}" aria-label=${of && fullLabel(children, of)} ...${rest}>${children}</button>`;

const fullLabel = (label, of) => (of ? t('action.of', label, of) : label);
