/** What a job tells people: how far it is, and the lines of its log. */

import { Ago, Card, Meter } from '../basics.js';
import { useData } from '../data.js';
import { html } from '../html.js';
import { clockSeconds, duration, exactTime, number, percent, t } from '../i18n.js';
import { live } from '../live.js';
import { useStore } from '../store.js';

/**
 * The progress and the log lines of a job, with new ones as they come; nothing if it told nothing.
 *
 * @param {{ jid: string | null }} props
 */
export function Report({ jid }) {
  return jid && html`<${Told} jid=${jid} />`;
}

function Told({ jid }) {
  const numbers = useStore(live);
  const { data } = useData('progress', { jid }, numbers?.at);
  if (!data) return null;
  const { steps, lines, iteration } = data;
  return html`
    ${(steps || iteration) && html`<${Progress} steps=${steps} iteration=${iteration} />`}
    ${lines.length > 0 && html`<${Lines} lines=${lines} />`}
  `;
}

function Progress({ steps, iteration }) {
  const share = steps?.total ? steps.done / steps.total : null;
  return html`
    <${Card} title=${t('report.progress')} aside=${steps && html`<span class="faint small"><${Ago} at=${steps.at} /></span>`}>
      ${
        steps &&
        html`
        <p class="progress">
          <b>${share === null ? t('report.done', steps.done) : t('report.done-of', steps.done, steps.total)}</b>
          ${share !== null && html`<span class="soft">${percent(share)}</span>`}
        </p>
        ${share !== null && html`<${Meter} share=${share} label=${t('report.progress')} />`}
      `
      }
      ${
        iteration &&
        html`
        <dl class="facts iteration">
          <dt>${t('report.executions')}</dt>
          <dd>${number(iteration.executions)}</dd>
          <dt>${t('report.cursor')}</dt>
          <dd><code>${iteration.cursor}</code></dd>
          <dt>${t('report.runtime')}</dt>
          <dd>${duration(iteration.runtime)}</dd>
          ${iteration.cancelled && html`<dt>${t('report.cancelled')}</dt><dd><${Ago} at=${iteration.cancelled} /></dd>`}
        </dl>
      `
      }
    <//>
  `;
}

const Lines = ({ lines }) => html`
  <${Card} title=${t('report.log')} aside=${html`<span class="faint small">${number(lines.length)}</span>`}>
    <ol class="log" tabindex="0" aria-label=${t('report.log')}>
      ${lines.map(({ at, text }, i) => html`<li key=${`${at}-${i}`}><time title=${exactTime(at)}>${clockSeconds(at)}</time> <span>${text}</span></li>`)}
    </ol>
  <//>
`;
