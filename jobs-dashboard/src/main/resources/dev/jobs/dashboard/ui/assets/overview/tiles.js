/** The numbers at a glance. */

import { html } from '../html.js';
import { compact, duration, number, t } from '../i18n.js';
import { link } from '../router.js';

/** Each number with the page that shows more of it. */
const LEAD = [
  ['enqueued', 'queues'],
  ['busy', 'busy'],
  ['retries', 'retries'],
  ['dead', 'dead'],
];
const MINOR = [['parked', 'limits'], ['scheduled', 'scheduled'], ['processed'], ['failed', 'failures']];

/** From this number on a tile has no room for all digits. */
const WIDEST = 10_000_000;

/**
 * @param {{ numbers: any, oldest: number, has?: (page: string) => boolean, least?: string }} props oldest: how long the
 *     oldest of the jobs has waited that are taken next; has: whether there is a page; least: what is before each number
 */
export const Tiles = (props) => html`
  <div class="card">
    <div class="tiles lead">${LEAD.map((tile) => html`<${Tile} of=${tile} ...${props} />`)}</div>
    <div class="tiles minor">${MINOR.map((tile) => html`<${Tile} of=${tile} ...${props} />`)}</div>
  </div>
`;

function Tile({ of: [name, page], numbers, oldest, has = Boolean, least = '' }) {
  const value = numbers[name];
  const content = html`
    <span class="label">${t(`tile.${name}`)}</span>
    <span class="value" data-tile=${name} title=${least + number(value)}>${least + (value < WIDEST ? number(value) : compact(value))}</span>
    ${name === 'enqueued' && oldest > 0 && html`<span class="label">${t('tile.oldest', duration(oldest))}</span>`}
  `;
  return has(page) ? html`<a class="tile" href=${link(page)}>${content}</a>` : html`<div class="tile">${content}</div>`;
}
