/** Forms for a job that is enqueued by hand. Each is checked by the server and shown once more before it is stored. */

import { get, post } from '../api.js';
import { Ago, Button, Notice } from '../basics.js';
import { errorText } from '../errors.js';
import { html, useEffect, useId, useState } from '../html.js';
import { exactTime, number, t } from '../i18n.js';
import { jobName } from '../jobs/places.js';
import { pretty } from '../json.js';
import { serverNow } from '../live.js';
import { TimeField } from '../time-field.js';
import { ArgumentFields, argumentsOf, fieldOf, plainField, storedField } from './arguments-form.js';
import { loadNames, useSuggestions } from './known.js';
import { QueueField } from './queue-form.js';

const PAUSE_MILLIS = 300;
const HOUR_MILLIS = 3_600_000;

/**
 * A new job.
 *
 * @param {{ queue?: string, onDone: (stored: object | null) => void }} props onDone: with the answer of the server, and the job's
 *     name
 */
export function NewJob({ queue: suggested, onDone }) {
  const [name, setName] = useState('');
  const [job, error] = useJob(name);
  const [draft, setDraft] = useState({ fields: [], queue: '', at: null, tags: '' });
  const change = (changes) => setDraft((last) => ({ ...last, ...changes }));
  const counted = Boolean(job?.here);
  useEffect(() => {
    if (!job) return;
    const fields = job.here ? job.parameters.map(fieldOf) : Array.from({ length: job.arguments ?? 0 }, plainField);
    change({ fields, queue: suggested ?? job.queue });
  }, [job]);
  const body = () => ({ job: name.trim(), ...shared(draft) });
  return html`
    <${Steps} path="enqueue" body=${body} name=${name.trim()} verb=${t('action.enqueue')} ready=${job !== null} onDone=${onDone}>
      <${NameField} value=${name} onChange=${setName} error=${error} />
      ${
        job &&
        html`
        <${ArgumentFields} fields=${draft.fields} counted=${counted} onChange=${(fields) => change({ fields })} />
        <${Shared} draft=${draft} onChange=${change} />
      `
      }
    <//>
  `;
}

/**
 * Another job like a stored one.
 *
 * @param {{ of: any, onDone: (stored: object | null) => void }} props of: the whole answer of `api/job`
 */
export function AnotherJob({ of: { job, arguments: stored, tags, batch }, onDone }) {
  const [draft, setDraft] = useState({
    fields: stored.map(storedField),
    queue: job.queue ?? 'default',
    at: null,
    tags: tags.join('\n'),
  });
  const [instead, setInstead] = useState(true);
  const change = (changes) => setDraft({ ...draft, ...changes });
  const place = { place: job.place, queue: job.place === 'queue' ? job.queue : undefined, key: job.key };
  const body = () => ({ ...place, instead, ...shared(draft, tags) });
  return html`
    <${Steps} path="jobs/again" body=${body} name=${jobName(job)} verb=${t('action.again')} ready onDone=${onDone}>
      <p>${t('again.text')} ${batch && t('again.batch')}</p>
      <${ArgumentFields} fields=${draft.fields} onChange=${(fields) => change({ fields })} />
      <${Shared} draft=${draft} onChange=${change} />
      <label class="choice field">
        <input type="checkbox" checked=${instead} onChange=${({ target }) => setInstead(target.checked)} />
        ${t('again.instead')}
      </label>
    <//>
  `;
}

/** What both forms send. Tags that are not changed are left out: they are shown masked and cut. */
function shared({ fields, queue, at, tags }, before = []) {
  const list = lines(tags);
  return {
    arguments: argumentsOf(fields),
    to: queue.trim(),
    ...(at !== null && { at }),
    ...(list.join('\n') !== lines(before.join('\n')).join('\n') && { tags: list }),
  };
}

const lines = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** The job of a name, once the user pauses; and why there is none. */
function useJob(name) {
  const [found, setFound] = useState([null, null]);
  useEffect(() => {
    setFound([null, null]);
    const wanted = name.trim();
    if (!wanted) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      get('known/job', { name: wanted }, abort.signal).then(
        (job) => setFound([job, null]),
        (error) => error.name === 'AbortError' || setFound([null, error]),
      );
    }, PAUSE_MILLIS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [name]);
  return found;
}

function NameField({ value, onChange, error }) {
  const id = useId();
  const { attributes, list } = useSuggestions('jobs');
  useEffect(loadNames, []);
  return html`
    <div class="field">
      <label for=${id}>${t('column.job')}</label>
      <input id=${id} name="job" type="text" maxlength="500" required autocomplete="off" spellcheck=${false} ...${attributes}
        value=${value} onInput=${({ target }) => onChange(target.value)} />
      ${list}
      ${error && html`<p class="bad" role="alert">${errorText(error)}</p>`}
    </div>
  `;
}

function Shared({ draft: { queue, at, tags }, onChange }) {
  const id = useId();
  return html`
    <${QueueField} label=${t('column.queue')} value=${queue} onChange=${(next) => onChange({ queue: next })} />
    <div class="field">
      <label for=${id}>${t('field.tags')}</label>
      <textarea id=${id} name="tags" rows=${Math.min(6, tags.split('\n').length)} autocomplete="off" value=${tags}
        onInput=${({ target }) => onChange({ tags: target.value })}></textarea>
    </div>
    <label class="choice field">
      <input type="checkbox" checked=${at !== null} onChange=${({ target }) => onChange({ at: target.checked ? serverNow() + HOUR_MILLIS : null })} />
      ${t('enqueue.later')}
    </label>
    ${at !== null && html`<${TimeField} value=${at} onChange=${(next) => onChange({ at: next })} />`}
  `;
}

/** The form, then what would be stored, then the answer. */
function Steps({ path, body, name, verb, ready, onDone, children }) {
  const [preview, setPreview] = useState(null);
  const [sent, setSent] = useState(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const send = async (what) => {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await what();
    } catch (problem) {
      setError(problem);
      setPreview(null);
    }
    setBusy(false);
  };
  const check = (event) => {
    event.preventDefault();
    const draft = body();
    send(async () => {
      setPreview(await post(path, { ...draft, check: true }));
      setSent(draft);
    });
  };
  const store = () => send(async () => onDone({ ...(await post(path, sent)), name }));
  return html`
    <form onSubmit=${check} hidden=${preview !== null}>
      ${error && html`<${Notice} kind="error" title=${t('enqueue.refused')}>${errorText(error)}<//>`}
      ${children}
      <footer>
        <${Button} onClick=${() => onDone(null)}>${t('action.cancel')}<//>
        <button type="submit" class="button primary" disabled=${!ready || busy}>${t('action.preview')}</button>
      </footer>
    </form>
    ${preview && html`<${Preview} preview=${preview} verb=${verb} busy=${busy} onBack=${() => setPreview(null)} onStore=${store} />`}
  `;
}

/** @type {[string, (preview: any) => boolean][]} */
const WARNINGS = [
  ['enqueue.unserved', ({ workers }) => workers === 0],
  ['enqueue.unknown', ({ workers, known }) => workers > 0 && known === false],
  ['enqueue.paused', ({ paused }) => paused],
  ['again.batch', ({ batch }) => batch],
  ['again.lock', ({ lock }) => lock],
];

const Preview = ({ preview, verb, busy, onBack, onStore }) => html`
  ${WARNINGS.filter(([, applies]) => applies(preview)).map(([text]) => html`<${Notice} key=${text} kind="warn" title=${t(text, preview.queue)} />`)}
  <dl class="facts">
    <dt>${t('column.job')}</dt>
    <dd>${preview.job}</dd>
    <dt>${t('column.queue')}</dt>
    <dd>${preview.queue} <span class="faint">${t('enqueue.workers', number(preview.workers))}</span></dd>
    <dt>${t('field.time')}</dt>
    <dd>${preview.at === null ? t('enqueue.now') : html`${exactTime(preview.at)} (<${Ago} at=${preview.at} />)`}</dd>
    ${preview.tags.length > 0 && html`<dt>${t('field.tags')}</dt><dd>${preview.tags.join(', ')}</dd>`}
  </dl>
  <pre tabindex="0" aria-label=${t('job.arguments')}>${pretty(preview.args)}</pre>
  <footer>
    <${Button} onClick=${onBack}>${t('action.back')}<//>
    <${Button} kind="primary" disabled=${busy} onClick=${onStore}>${verb}<//>
  </footer>
`;
