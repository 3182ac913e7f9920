/** What a job consists of: its arguments, its id and place, the rest of its payload. */

import { Badge, Card, Segments } from '../basics.js';
import { Copy } from '../copy.js';
import { LastWord } from '../deaths/last-word.js';
import { html, useState } from '../html.js';
import { bytes, number, t } from '../i18n.js';
import { pretty } from '../json.js';

/** @param {{ list: any[], left: number, cut: boolean, more: unknown }} props left: how many are not listed; more: a button that shows all */
export const Arguments = ({ list, left, cut, more }) => html`
  <${Card}
    title=${t('job.arguments')}
    aside=${html`
      <span class="row">
        ${list.some(({ cut }) => cut) && more}
        ${!left && isWhole(list) && html`<${Copy} text=${`[${list.map(({ json }) => json).join(',')}]`} of=${t('job.arguments')} />`}
      </span>
    `}
  >
    ${
      list.length
        ? html`<ol class="arguments">${list.map((argument) => html`<${Argument} key=${argument.position} of=${argument} />`)}</ol>`
        : html`<p class="soft">${t(cut ? 'job.arguments.cut' : 'job.no-arguments')}</p>`
    }
    ${left > 0 && html`<p class="soft">${t('job.arguments.left', number(left))}</p>`}
  <//>
`;

/** Whether what is shown is what is stored, so that it is worth a copy. */
const isWhole = (list) => list.length > 0 && list.every(({ cut, masked }) => !cut && !masked);

function Argument({ of: { position, name, type, json, cut, masked } }) {
  const text = cut ? `${json}…` : pretty(json);
  const value = text.includes('\n') ? html`<pre class="json">${text}</pre>` : html`<code class="break">${text}</code>`;
  return html`
    <li>
      <span class="faint">${number(position + 1)}</span>
      <div>
        ${(name || type) && html`<p class="small soft">${name} <span class="faint">${type}</span></p>`}
        ${masked ? html`<${Badge}>${t('job.masked')}<//>` : value}
      </div>
    </li>
  `;
}

/** @param {{ job: any, position: number | null, runsAs: string | null }} props runsAs: the job of this application that would run */
export const Facts = ({ job, position, runsAs }) => html`
  <${Card} title=${t('job.facts')}>
    <dl class="facts">
      <dt>${t('job.jid')}</dt>
      <dd class="copied"><code>${job.jid ?? '–'}</code>${job.jid && html`<${Copy} text=${job.jid} of=${t('job.jid')} />`}</dd>
      <dt>${t('column.queue')}</dt>
      <dd>${job.queue ?? '–'}</dd>
      ${position !== null && html`<dt>${t('job.position')}</dt><dd>${number(position + 1)}</dd>`}
      ${job.orderKey && html`<dt>${t('job.order-key')}</dt><dd class="break">${job.orderKey}</dd>`}
      ${job.priority !== null && html`<dt>${t('job.priority')}</dt><dd>${number(job.priority)}</dd>`}
      ${runsAs && html`<${LastWord} name=${runsAs} />`}
      <dt>${t('job.size')}</dt>
      <dd>${bytes(job.bytes)}</dd>
    </dl>
  <//>
`;

/** @param {{ members: { name: string, json: string, cut: boolean }[] }} props those that are shown nowhere else */
export const Payload = ({ members }) => html`
  <${Card} title=${t('job.payload')}>
    <dl class="facts">
      ${members.map(({ name, json, cut }) => html`<dt class="break">${name}</dt><dd><code class="json">${cut ? `${json}…` : pretty(json)}</code></dd>`)}
    </dl>
  <//>
`;

/** The text of the payload. @param {{ data: any, more: unknown }} props more: a button that shows all, if there is more */
export function Raw({ data: { job, raw, rawCut }, more }) {
  const [laidOut, setLaidOut] = useState(false);
  const canBe = !rawCut && !job.malformed;
  const forms = ['stored', 'formatted'].map((name) => [name, t(`job.raw.${name}`)]);
  return html`
    <${Card}
      title=${t('job.raw')}
      aside=${html`
        <span class="row">
          <span class="faint small">${bytes(job.bytes)}</span>
          ${!rawCut && html`<${Copy} text=${raw} of=${t('job.raw')} />`}
        </span>
      `}
    >
      <details open=${job.malformed}>
        <summary>${t('job.raw.show')}</summary>
        ${
          canBe &&
          html`<p><${Segments} label=${t('job.raw.form')} options=${forms} value=${laidOut ? 'formatted' : 'stored'}
            onChoose=${(form) => setLaidOut(form === 'formatted')} /></p>`
        }
        <pre>${canBe && laidOut ? pretty(raw) : raw}${rawCut && '…'}</pre>
        ${rawCut && more && html`<p>${more}</p>`}
      </details>
    <//>
  `;
}
