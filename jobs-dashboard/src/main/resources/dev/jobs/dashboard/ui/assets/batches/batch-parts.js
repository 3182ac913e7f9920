/** What several pages show of batches: states, bars, badges. */

import { Badge, Card } from '../basics.js';
import { html } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { link } from '../router.js';

/** The states of jobs and the letters that stand for them, ended ones first. */
export const JOB_STATES = {
  succeeded: 's',
  failed: 'f',
  dead: 'd',
  discarded: 'x',
  lost: 'l',
  skipped: 'k',
  'working-again': 'v',
  working: 'w',
  retrying: 'r',
  enqueued: 'q',
};

/** What counters distinguish, with the letters of their colours, in the order of a bar. */
const CLASSES = {
  succeeded: 's',
  failed: 'f',
  dead: 'd',
  lost: 'l',
  skipped: 'k',
  retrying: 'r',
  waiting: 'q',
};

const BATCH_KINDS = { succeeded: 'good', finished: 'warn', running: 'accent', filling: 'accent' };
const JOB_KINDS = { succeeded: 'good', failed: 'bad', dead: 'bad', discarded: 'bad', lost: 'bad', retrying: 'warn' };

/** The index of the first job that was added by a job of the batch. */
const FIRST_GROWN = 2 ** 31;

/** Positions count first the jobs that were given to the batch, then those that its own jobs added. */
export const indexAt = (position, given) => (position < given ? position : FIRST_GROWN + position - given);

/** The number of a job for people. */
export const jobNumber = (index) =>
  index < FIRST_GROWN ? t('batch.job', index) : t('batch.job.grown', index - FIRST_GROWN);

export const batchLink = (id, more = {}) => link('batch', { id, ...more });

export const ended = ({ total, waiting, retrying }) => total - waiting - retrying;

/** The jobs of a batch by what became of them, as a bar. @param {{ counts: Record<string, number> }} props */
export function StateBar({ counts }) {
  const present = Object.keys(CLASSES).filter((name) => counts[name] > 0);
  const label = present.map((name) => `${t(`batch.count.${name}`)}: ${number(counts[name])}`).join(', ');
  return html`
    <span class="states" role="img" aria-label=${label} title=${label}>
      ${present.map((name) => html`<i key=${name} class="state-${CLASSES[name]}" style=${{ flexGrow: counts[name] }}></i>`)}
    </span>
  `;
}

/** @param {{ batch: { state: string, abandoned: boolean } }} props */
export const BatchBadges = ({ batch: { state, abandoned } }) => html`
  <${Badge} kind=${BATCH_KINDS[state]}>${t(`batch.state.${state}`)}<//>
  ${abandoned && html` <${Badge} kind="warn">${t('batch.abandoned')}<//>`}
`;

export const JobState = ({ state }) =>
  state
    ? html`<${Badge} kind=${JOB_KINDS[state]}>${t(`batch.job-state.${state}`)}<//>`
    : html`<span class="faint">${t('batch.job-state.none')}</span>`;

/** Jobs a second, or a minute if they are few. */
export const rateText = (rate) =>
  rate > 0 && rate < 0.1 ? t('batch.per-minute', rate * 60) : t('batch.per-second', rate);

/** How long until the pending jobs have ended, if the rate stays. */
export const remainingText = ({ remaining, finishedAt }) =>
  remaining === null || finishedAt ? '–' : t('batch.about', duration(remaining));

/** How far a running job has come. */
export const progressText = ({ done, total }) =>
  total ? t('batch.progress.of', done, total) : t('batch.progress', done);

/** A job as its batch knows it. @param {{ member: { id: string, name: string, state: string, callbackOf?: string, job?: object } }} props */
export const BatchMembership = ({ member: { id, name, state, callbackOf, job } }) => html`
  <${Card} title=${t('batch.title')} aside=${html`<${JobState} state=${state} />`}>
    <p>
      <a href=${batchLink(id, job && { job: job.index })}>${name}</a>
      <span class="soft"> ${callbackOf ? t(`batch.callback.${callbackOf}`) : jobNumber(job.index)}</span>
    </p>
    ${job && html`<${Messages} job=${job} />`}
  <//>
`;

/** What a job told its batch. */
export const Messages = ({ job: { messages, progress } }) => html`
  ${progress && html`<p class="soft">${progressText(progress)}</p>`}
  ${messages.length > 0 && html`<ul class="messages">${messages.map((text) => html`<li class="break">${text}</li>`)}</ul>`}
`;
