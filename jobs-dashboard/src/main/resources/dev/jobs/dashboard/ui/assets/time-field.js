/** A field for a point in time, with presets, in the user's zone or in UTC. */

import { Button, Segments } from './basics.js';
import { html, useId, useState } from './html.js';
import { t, zone } from './i18n.js';
import { serverNow } from './live.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MORNING = 9;

/** The format of a `datetime-local` field: local time without a zone. @param {number} millis */
export function localInput(millis) {
  const offset = new Date(millis).getTimezoneOffset() * MINUTE;
  return new Date(millis - offset).toISOString().slice(0, 19);
}

const utcInput = (millis) => new Date(millis).toISOString().slice(0, 19);

const PRESETS = {
  minutes: () => serverNow() + 10 * MINUTE,
  hour: () => serverNow() + HOUR,
  day: () => serverNow() + 24 * HOUR,
  morning: (utc) => {
    const at = new Date(serverNow() + 24 * HOUR);
    if (utc) at.setUTCHours(MORNING, 0, 0, 0);
    else at.setHours(MORNING, 0, 0, 0);
    return at.getTime();
  },
};

/**
 * @param {{ value: number | null, onChange: (millis: number | null) => void }} props value: epoch milliseconds; null while it
 *     is no time
 */
export function TimeField({ value, onChange }) {
  const id = useId();
  const [utc, setUtc] = useState(false);
  const shown = value === null ? '' : utc ? utcInput(value) : localInput(value);
  const [typed, setTyped] = useState(shown);
  const show = (millis, inUtc) => setTyped(millis === null ? '' : inUtc ? utcInput(millis) : localInput(millis));
  const type = ({ target }) => {
    setTyped(target.value);
    const at = Date.parse(utc ? `${target.value}Z` : target.value);
    onChange(Number.isNaN(at) ? null : at);
  };
  const choose = (millis) => {
    onChange(millis);
    show(millis, utc);
  };
  const local = zone();
  const zones = [...new Set([local, 'UTC'])];
  return html`
    <div class="field">
      <label for=${id}>${t('field.time')}</label>
      <div class="row">
        <input id=${id} type="datetime-local" step="1" required value=${typed} onInput=${type} />
        ${
          zones.length > 1
            ? html`<${Segments}
                label=${t('field.zone')}
                options=${zones.map((name) => [name, name])}
                value=${utc ? 'UTC' : local}
                onChoose=${(name) => {
                  setUtc(name === 'UTC');
                  show(value, name === 'UTC');
                }}
              />`
            : html`<span class="soft">${local}</span>`
        }
      </div>
      <div class="row presets" role="group" aria-label=${t('preset.label')}>
        ${Object.entries(PRESETS).map(
          ([name, at]) =>
            html`<${Button} kind="quiet" key=${name} onClick=${() => choose(Math.round(at(utc) / 1000) * 1000)}>${t(`preset.${name}`)}<//>`,
        )}
      </div>
    </div>
  `;
}
