/** The form of a recurring job. What its schedule means is shown while it is written. */

import { ArgumentFields, argumentsOf, fieldOf, plainField, storedField } from '../actions/arguments-form.js';
import { loadNames, useSuggestions } from '../actions/known.js';
import { get, post, session } from '../api.js';
import { Button, Notice } from '../basics.js';
import { errorText } from '../errors.js';
import { html, useEffect, useId, useState } from '../html.js';
import { minuteTime, t, zone } from '../i18n.js';

const PAUSE_MILLIS = 300;
const MISSED = ['WITHIN_GRACE', 'SKIP', 'ONCE', 'ALL'];
const OVERLAP = ['ALLOW', 'SKIP', 'QUEUE', 'CANCEL'];

/**
 * @param {{ of: any, onDone: (saved: { name: string, undo: string | null, version: string, created: boolean } | null) => void }} props of: the
 *     answer of `api/recurring/one`; null for a new one
 */
export function ScheduleForm({ of, onDone }) {
  const [draft, setDraft] = useState({
    name: of?.name ?? '',
    job: of?.job ?? '',
    schedule: of?.schedule ?? '',
    queue: of?.queue ?? '',
    description: of?.description ?? '',
    missed: of?.missed ?? MISSED[0],
    mostMissed: of?.mostMissed ?? 100,
    overlap: of?.overlap ?? OVERLAP[0],
    fields: of ? of.arguments.map(storedField) : [],
    counted: false,
  });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const change = (changes) => setDraft((last) => ({ ...last, ...changes }));
  const slots = useAnswer('recurring/slots', 'schedule', draft.schedule);
  const job = useAnswer(of || !session.get().features.enqueue ? null : 'known/job', 'name', draft.job);
  useEffect(() => {
    const { data } = job;
    if (!data) return;
    const fields = data.here ? data.parameters.map(fieldOf) : Array.from({ length: data.arguments ?? 0 }, plainField);
    change({ fields, counted: data.here });
  }, [job.data]);
  const save = async (event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    const { name, schedule, queue, description, missed, mostMissed, overlap, fields } = draft;
    const rules = slots.data.delay ? {} : { missed, overlap, ...(missed === 'ALL' && { mostMissed: Number(mostMissed) }) };
    const body = { name: name.trim(), schedule, to: queue.trim(), description, ...rules, arguments: argumentsOf(fields) };
    try {
      const { undo, version } = await post('recurring/save', of ? { ...body, version: of.version } : { ...body, create: true, job: draft.job.trim() });
      onDone({ name: body.name, undo, version, created: !of });
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return html`
    <form onSubmit=${save}>
      ${error && html`<${Notice} kind="error" title=${t('recurring.refused')}>${errorText(error)}<//>`}
      ${of && of.declared !== null && html`<${Notice} kind="warn" title=${t('recurring.declared')} />`}
      ${!of && html`<${Field} name="name" label=${t('column.name')} most="200" required value=${draft.name} onChange=${(name) => change({ name })} />`}
      ${!of && html`<${Field} name="job" label=${t('column.job')} most="500" required suggest="jobs" value=${draft.job} onChange=${(name) => change({ job: name })} />`}
      <${Field} name="schedule" label=${t('column.schedule')} most="500" required value=${draft.schedule}
        onChange=${(schedule) => change({ schedule })} />
      <${Slots} of=${slots} />
      ${!slots.data?.delay && html`<${Rules} draft=${draft} onChange=${change} />`}
      <${ArgumentFields} fields=${draft.fields} counted=${draft.counted} onChange=${(fields) => change({ fields })} />
      <${Field} name="to" label=${t('column.queue')} most="128" suggest="queues" value=${draft.queue} onChange=${(queue) => change({ queue })} />
      <${Field} name="description" label=${t('recurring.description')} most="500" value=${draft.description}
        onChange=${(description) => change({ description })} />
      <footer>
        <${Button} onClick=${() => onDone(null)}>${t('action.cancel')}<//>
        <button type="submit" class="button primary" disabled=${busy || !slots.data}>${t('action.save')}</button>
      </footer>
    </form>
  `;
}

/**
 * What the server says of a text, once the user pauses.
 *
 * @param {string | null} path null for nothing
 * @param {string} parameter
 * @param {string} text
 * @returns {{ data: any, error: any }}
 */
function useAnswer(path, parameter, text) {
  const [answer, setAnswer] = useState({ data: null, error: null });
  useEffect(() => {
    setAnswer({ data: null, error: null });
    const wanted = text.trim();
    if (!path || !wanted) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      get(path, { [parameter]: wanted }, abort.signal).then(
        (data) => setAnswer({ data, error: null }),
        (error) => error.name === 'AbortError' || setAnswer({ data: null, error }),
      );
    }, PAUSE_MILLIS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [path, text]);
  return answer;
}

function Field({ name, label, most, digits = false, required = false, suggest, value, onChange }) {
  const id = useId();
  const { attributes, list } = useSuggestions(suggest);
  useEffect(loadNames, []);
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input id=${id} name=${name} type="text" maxlength=${most} required=${required} autocomplete="off" spellcheck=${false} ...${attributes}
        ...${digits && { inputmode: 'numeric', pattern: '[0-9]+' }} value=${value} onInput=${({ target }) => onChange(target.value)} />
      ${list}
    </div>
  `;
}

/** What becomes of times that were missed, and of those at which the last job has not ended. */
const Rules = ({ draft: { missed, mostMissed, overlap }, onChange }) => html`
  <${Choice} name="missed" of=${MISSED} value=${missed} onChange=${(value) => onChange({ missed: value })} />
  ${
    missed === 'ALL' &&
    html`<${Field} name="most-missed" label=${t('recurring.most-missed')} most="4" digits required value=${mostMissed}
      onChange=${(value) => onChange({ mostMissed: value })} />`
  }
  <${Choice} name="overlap" of=${OVERLAP} value=${overlap} onChange=${(value) => onChange({ overlap: value })} />
`;

function Choice({ name, of, value, onChange }) {
  const id = useId();
  return html`
    <div class="field">
      <label for=${id}>${t(`recurring.${name}`)}</label>
      <select id=${id} name=${name} value=${value} onChange=${({ target }) => onChange(target.value)}>
        ${of.map((each) => html`<option value=${each}>${t(`recurring.${name}.${each.toLowerCase()}`)}</option>`)}
      </select>
    </div>
  `;
}

const Slots = ({ of: { data, error } }) => html`
  <div class="preview" aria-live="polite">
    ${error && html`<p class="bad">${errorText(error)}</p>`}
    ${
      data &&
      html`
      <p class="soft">${t('column.next.zone', zone())}${data.utc && html` <span class="faint">${t('recurring.utc')}</span>`}</p>
      <ul class="times">
        ${data.next.map((at) => html`<li key=${at}><time datetime=${new Date(at).toISOString()}>${minuteTime(at)}</time></li>`)}
      </ul>
    `
    }
  </div>
`;
