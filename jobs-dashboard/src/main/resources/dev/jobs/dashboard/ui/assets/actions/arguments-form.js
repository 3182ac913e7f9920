/** Fields for the arguments of a job: by its parameters if they are known, and else as JSON. */

import { Badge, Button } from '../basics.js';
import { html, useId } from '../html.js';
import { number, t } from '../i18n.js';
import { pretty } from '../json.js';

/**
 * One argument while it is edited.
 *
 * @typedef {{ kind: 'text' | 'integer' | 'number' | 'flag' | 'choice' | 'json', value: string, name?: string, type?: string,
 *     choices?: string[], otherwise?: string | null, masked?: boolean, kept?: boolean, stored?: string }} Field
 *     otherwise: the JSON that counts if nothing is written, null if something must be; kept: whether it stays as it is stored;
 *     stored: what is shown of it as it is stored
 */

/** @param {any} parameter of `api/known/job` @returns {Field} */
export const fieldOf = ({ name, type, input, choices, otherwise, masked }) => ({
  kind: input,
  value: input === 'flag' && otherwise === null ? 'false' : input === 'choice' && otherwise === null ? choices[0] : '',
  name,
  type,
  choices,
  otherwise,
  masked,
});

/** @returns {Field} of a job whose parameters are unknown */
export const plainField = () => ({ kind: 'json', value: '', otherwise: null });

/**
 * A stored argument, as JSON: what is wrong with it may be its very type.
 *
 * @param {any} argument of `api/job`
 * @returns {Field}
 */
export function storedField({ name, type, json, cut, masked }) {
  const stays = masked || cut;
  const value = stays ? '' : pretty(json);
  return { kind: 'json', name, type, masked, otherwise: null, stored: value, value, kept: stays };
}

/**
 * What the server is sent: JSON texts, and null for arguments that stay as they are stored. Those at the end that are not
 * written are left out.
 *
 * @param {Field[]} fields
 * @returns {(string | null)[]}
 */
export function argumentsOf(fields) {
  const optional = (/** @type {Field} */ { value, otherwise }) => value === '' && otherwise !== null;
  const last = fields.findLastIndex((field) => !optional(field));
  return fields.slice(0, last + 1).map((field) => {
    if (field.kept) return null;
    if (optional(field)) return field.otherwise;
    if (field.value === field.stored) return null;
    return field.kind === 'text' ? JSON.stringify(field.value) : field.value.trim();
  });
}

/**
 * @param {{ fields: Field[], onChange: (fields: Field[]) => void, counted?: boolean }} props counted: their number is that of the
 *     job's parameters, and can't be changed
 */
export function ArgumentFields({ fields, onChange, counted }) {
  const change = (index, changes) => onChange(fields.map((field, i) => (i === index ? { ...field, ...changes } : field)));
  return html`
    <fieldset class="arguments-form">
      <legend>${t('job.arguments')}</legend>
      ${fields.length === 0 && html`<p class="soft">${t('job.no-arguments')}</p>`}
      ${fields.map((field, i) => html`<${ArgumentField} key=${i} index=${i} field=${field} onChange=${(changes) => change(i, changes)} />`)}
      ${
        !counted &&
        html`
        <p class="row">
          <${Button} kind="quiet" onClick=${() => onChange([...fields, plainField()])}>${t('arguments.add')}<//>
          ${fields.length > 0 && html`<${Button} kind="quiet" onClick=${() => onChange(fields.slice(0, -1))}>${t('arguments.remove')}<//>`}
        </p>
      `
      }
    </fieldset>
  `;
}

function ArgumentField({ index, field, onChange }) {
  const { name, type, masked, kept, stored, otherwise } = field;
  const id = useId();
  const canStay = stored === '';
  return html`
    <div class="field">
      <label for=${id}>
        ${name ?? t('arguments.number', number(index + 1))} ${type && html`<span class="faint">${type}</span>`}
        ${masked && html` <${Badge}>${t('job.masked')}<//>`}
        ${otherwise !== null && otherwise !== undefined && html` <span class="faint">${t('arguments.optional', otherwise)}</span>`}
      </label>
      ${
        canStay &&
        html`
        <label class="choice">
          <input type="checkbox" checked=${kept} onChange=${({ target }) => onChange({ kept: target.checked })} />
          ${t('arguments.kept')}
        </label>
      `
      }
      ${!kept && html`<${Input} id=${id} field=${field} onChange=${(value) => onChange({ value })} />`}
    </div>
  `;
}

function Input({ id, field: { kind, value, choices, otherwise, masked }, onChange }) {
  const type = ({ target }) => onChange(target.value);
  if (kind === 'flag' || kind === 'choice') {
    const values = kind === 'flag' ? ['true', 'false'] : choices;
    return html`
      <select id=${id} value=${value} onChange=${type}>
        ${otherwise !== null && html`<option value="">–</option>`}
        ${values.map((each) => html`<option value=${each}>${each.replace(/^"|"$/g, '')}</option>`)}
      </select>
    `;
  }
  const common = { id, value, onInput: type, autocomplete: 'off', spellcheck: false };
  if (kind === 'json') {
    return html`<textarea ...${common} rows=${Math.min(12, value.split('\n').length)} required=${otherwise === null}
      placeholder=${t('arguments.json')}></textarea>`;
  }
  if (kind === 'text') return html`<input ...${common} type=${masked ? 'password' : 'text'} />`;
  const pattern = kind === 'integer' ? '\\s*-?\\d+\\s*' : undefined;
  return html`<input ...${common} type="text" inputmode=${kind === 'integer' ? 'numeric' : 'decimal'} pattern=${pattern}
    required=${otherwise === null} />`;
}
