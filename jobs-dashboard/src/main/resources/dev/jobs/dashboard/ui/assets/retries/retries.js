/** How a job that fails is retried: which rule decides, and what comes after its next failures. */

import { Card } from '../basics.js';
import { useData } from '../data.js';
import { html } from '../html.js';
import { duration, t } from '../i18n.js';
import { shortType } from '../jobs/job-parts.js';

/** What decides about jobs of which nothing else says how they are retried. */
const AS_ALL = ['policy_for_all', 'default', 'others'];

/**
 * Nothing if the job is as any other and has not failed.
 *
 * @param {{ job: any, runsAs: string | null, members: { name: string, json: string, cut: boolean }[] }} props
 *   runsAs: the job of this application that would run; members: of the job's payload
 */
export function Retries({ job, runsAs, members }) {
  return job.name && job.place !== 'dead' && html`<${Rule} job=${job} name=${runsAs ?? job.name} members=${members} />`;
}

function Rule({ job, name, members }) {
  const member = (name) => members.find((each) => each.name === name && !each.cut)?.json;
  const { data } = useData('retry', {
    name,
    failures: job.attempts,
    retry: member('retry'),
    time: member('retry_for'),
    rule: member('jobs_retry'),
  });
  if (!data || (AS_ALL.includes(data.decides) && !job.attempts)) return null;
  const { decides, policy, retries, waits, includes, excludes } = data;
  const last = waits.length ? waits.at(-1).attempt + 1 : job.attempts + 1;
  return html`
    <${Card} title=${t('rule.title')}>
      <p>${t(`rule.by.${decides}`, shortType(policy))}</p>
      <dl class="facts">
        ${waits.map((wait) => html`<dt>${t('rule.fails', wait.attempt)}</dt><dd>${span(wait)}</dd>`)}
        ${retries !== null && last > retries && html`<dt>${t('rule.fails', last)}</dt><dd>${t('rule.given-up')}</dd>`}
        ${includes.length > 0 && html`<dt>${t('rule.only-after')}</dt><dd class="break">${includes.map(shortType).join(', ')}</dd>`}
        ${excludes.length > 0 && html`<dt>${t('rule.not-after')}</dt><dd class="break">${excludes.map(shortType).join(', ')}</dd>`}
      </dl>
    <//>
  `;
}

const span = ({ least, longest }) =>
  least === longest ? t('rule.after', duration(least)) : t('rule.between', duration(least), duration(longest));
