/** What several pages show of a running job, and do with it: how long it runs, its stack, cancelling. */

import { attempt } from '../actions.js';
import { get, post } from '../api.js';
import { Button, useTick } from '../basics.js';
import { confirm, Dialog } from '../dialog.js';
import { errorText } from '../errors.js';
import { html, useEffect, useState } from '../html.js';
import { clockSeconds, duration, t } from '../i18n.js';
import { jobName } from '../jobs/places.js';
import { serverNow } from '../live.js';
import { toast } from '../toast.js';

const STACK_POLL_MILLIS = 500;
const STACK_MOST_POLLS = 20;

/** Asks first. */
export async function cancel(job) {
  const sure = await confirm({
    title: t('confirm.cancel-job.title', jobName(job)),
    text: t('confirm.cancel-job'),
    verb: t('action.cancel-job'),
    danger: true,
  });
  if (!sure) return;
  await attempt(async () => {
    await post('running/cancel', { jid: job.jid });
    toast(t('done.cancel-job', jobName(job)));
  });
}

export function Elapsed({ since }) {
  useTick(1000);
  return since ? duration(Math.max(serverNow() - since, 0)) : '–';
}

/** Asks the process for the stack of one job, and again on request. */
export function Stack({ of: { process, thread, job }, onClose }) {
  const [result, setResult] = useState({ state: 'waiting' });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let left = false;
    setResult({ state: 'waiting' });
    readStack(process, thread, () => left).then(
      (next) => left || setResult(next),
      (error) => left || setResult({ state: 'failed', error }),
    );
    return () => {
      left = true;
    };
  }, [asked]);
  const { state, takenAt, stack, error } = result;
  return html`
    <${Dialog} wide title=${t('stack.title', jobName(job))} onClose=${onClose}>
      ${
        state === 'ready'
          ? html`
            <p class="soft small">${result.thread ?? thread} · ${clockSeconds(takenAt)}</p>
            <pre class="trace" tabindex="0" aria-label=${t('stack.title', jobName(job))}>${stack.join('\n')}</pre>
          `
          : html`<p role="status">${error ? errorText(error) : t(`stack.${state}`)}</p>`
      }
      <footer>
        <${Button} disabled=${state === 'waiting'} onClick=${() => setAsked(asked + 1)}>${t('stack.again')}<//>
        <${Button} kind="primary" onClick=${onClose}>${t('action.close')}<//>
      </footer>
    <//>
  `;
}

async function readStack(process, thread, left) {
  const { state } = await post('stack', { process, thread });
  if (state !== 'waiting') return { state };
  for (let i = 0; i < STACK_MOST_POLLS && !left(); i++) {
    await new Promise((resolve) => setTimeout(resolve, STACK_POLL_MILLIS));
    const answer = await get('stack', { process, thread });
    if (answer.state !== 'waiting') return answer;
  }
  return { state: 'unavailable' };
}
