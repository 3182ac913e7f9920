/** What the pages of limits share: whether a limit was changed here, and its actions. */

import { attempt } from './actions.js';
import { mayAct, post } from './api.js';
import { Badge, Button } from './basics.js';
import { askNumber } from './dialog.js';
import { openJob } from './find.js';
import { html } from './html.js';
import { number, t } from './i18n.js';
import { jobLink } from './places.js';
import { go } from './router.js';
import { toast } from './toast.js';

/** @param {{ of: boolean }} props of: whether it was set here and not by the workers */
export const Changed = ({ of }) => of && html`<${Badge} kind="accent">${t('limits.changed')}<//>`;

/** @param {{ limit: { name: string, concurrency: number | null, changed: boolean } }} props */
export const LimitActions = ({ limit: { name, concurrency, changed } }) =>
  mayAct() &&
  html`
    <${Button} kind="quiet" of=${name} onClick=${() => change(name, concurrency)}>${t('action.change')}<//>
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
