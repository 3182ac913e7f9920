/** What the pages of limits share: whether a limit was changed here, and its actions. */

import { attempt } from '../actions.js';
import { mayAct, post } from '../api.js';
import { Badge, Button } from '../basics.js';
import { askNumber, askNumbers } from '../dialog.js';
import { html } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { openJob } from '../jobs/find.js';
import { jobLink } from '../jobs/places.js';
import { go } from '../router.js';
import { toast } from '../toast.js';

/** @param {{ of: boolean }} props of: whether it was set here and not by the workers */
export const Changed = ({ of }) => of && html`<${Badge} kind="accent">${t('limits.changed')}<//>`;

/** Limits of whole queues have names that begin so. */
export const OF_QUEUE = 'queue:';

/** @param {{ jobs: number, per: number, burst: number } | null} rate per: in milliseconds */
export const rateText = (rate) => (rate ? t('limits.rate-of', number(rate.jobs), duration(rate.per)) : '–');

/** @param {{ limit: { name: string, concurrency: number | null, rate: object | null, changed: boolean } }} props */
export const LimitActions = ({ limit: { name, concurrency, rate, changed } }) =>
  mayAct() &&
  html`
    <${Button} kind="quiet" of=${name} onClick=${() => change(name, concurrency)}>${t('action.change')}<//>
    ${!name.startsWith(OF_QUEUE) && html`<${Button} kind="quiet" of=${name} onClick=${() => changeRate(name, rate)}>${t('action.rate')}<//>`}
    ${changed && html`<${Button} kind="quiet" of=${name} onClick=${() => reset(name)}>${t('action.reset')}<//>`}
  `;

const MOST_AT_ONCE = 1_000_000;

const change = (name, now) =>
  attempt(async () => {
    const verb = t('action.change');
    const concurrency = await askNumber(t('confirm.title', verb, name), t('limits.ask'), verb, now, MOST_AT_ONCE);
    if (concurrency === null) return;
    await post('limit/set', { name, concurrency });
    toast(t('done.limit.set', name, number(concurrency)));
  });

const MOST_SECONDS = 365 * 24 * 60 * 60;

const changeRate = (name, now) =>
  attempt(async () => {
    const verb = t('action.rate');
    const numbers = await askNumbers(t('confirm.title', verb, name), t('limits.ask-rate'), verb, [
      { label: t('field.jobs'), initial: now?.jobs, least: 1, most: MOST_AT_ONCE },
      { label: t('field.seconds'), initial: now && now.per / 1000, least: 0.001, most: MOST_SECONDS, step: 0.001 },
      { label: t('field.burst'), initial: now?.burst, least: 1, most: MOST_AT_ONCE },
    ]);
    if (numbers === null) return;
    const [rate, seconds, burst] = numbers;
    const per = Math.round(seconds * 1000);
    await post('limit/rate', { name, rate, per, burst });
    toast(t('done.limit.rate', name, number(rate), duration(per)));
  });

const reset = (name) =>
  attempt(async () => {
    await post('limit/reset', { name });
    toast(t('done.limit.reset', name));
  });

/** Opens the page of a job. It can be in two places for a moment, while it moves: then the first of them is shown. */
export const showJob = (jid) =>
  attempt(async () => {
    const several = await openJob(jid);
    if (several) go(jobLink({ ...several[0], jid }));
  });
