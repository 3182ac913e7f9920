/** All shards: their numbers side by side, the sums, and what needs attention in each. */

import { Ago, Badge, Card, Notice, PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { inDivision, pagesOverAll } from '../divisions.js';
import { errorText } from '../errors.js';
import { describe, KINDS } from '../findings.js';
import { html } from '../html.js';
import { duration, number, t } from '../i18n.js';
import { Icon } from '../icon.js';
import { live, usePulse } from '../live.js';
import { Tiles } from '../overview/tiles.js';
import { useStore } from '../store.js';
import { Table } from '../table.js';
import { atLeast, sum } from './shards.js';

const FINDINGS_EVERY_MILLIS = 10_000;

/** The numbers of a shard in their order, each with the page that shows more of it. */
const NUMBERS = [
  ['enqueued', 'queues'],
  ['busy', 'busy'],
  ['scheduled', 'scheduled'],
  ['retries', 'retries'],
  ['dead', 'dead'],
];

export function Page() {
  const pushed = useStore(live);
  const overview = useData('overview', {}, usePulse(FINDINGS_EVERY_MILLIS));
  return html`
    <${PageHead} title=${t('nav.shards')} lede=${t('lede.shards')} />
    <${Loaded} of=${overview}>
      ${(data) => {
        const numbers = pushed ?? data.live;
        return html`
          <${Findings} findings=${data.findings} numbers=${numbers} />
          <${Tiles} numbers=${numbers} oldest=${numbers.latency} has=${(page) => pagesOverAll().includes(page)} least=${atLeast(numbers.unread)} />
          <${Card} flush title=${t('shards.each')} aside=${html`<${Books} error=${numbers.error} />`}>
            <${Shards} numbers=${numbers} />
          <//>
        `;
      }}
    <//>
  `;
}

/** What needs attention in any shard; or that nothing does. */
function Findings({ findings, numbers }) {
  const away = numbers.shards.filter(({ trouble }) => trouble);
  if (!findings.length && !away.length) return html`<p class="calm"><${Icon} name="check" />${t('attention.none')}</p>`;
  return html`
    <section class="notices" aria-label=${t('attention.label')}>
      ${away.map(
        (shard) => html`<${Notice} key=${shard.name} kind="error" title=${t('shard.away', shard.name)}>${errorText(shard.trouble)}<//>`,
      )}
      ${findings.map(({ shard, finding }) => {
        const { title, next } = describe(`warning.${finding.code}`, finding);
        return html`
          <${Notice} key=${shard.name + finding.code + finding.subject} kind=${KINDS[finding.level]}
            title=${t('shard.finding', shard.name, title)}>${next}<//>
        `;
      })}
    </section>
  `;
}

function Books({ error }) {
  if (error === null) return null;
  return error ? html`<${Badge} kind="bad">${t('books.wrong', error)}<//>` : html`<${Badge} kind="good">${t('books.right')}<//>`;
}

const Shards = ({ numbers }) => html`
  <${Table} class="leading">
    <thead>
      <tr>
        <th>${t('column.shard')}</th>
        ${NUMBERS.map(([name]) => html`<th class="number">${t(`tile.${name}`)}</th>`)}
        <th class="number">${t('column.latency')}</th>
        <th class="number">${t('column.rate')}</th>
        <th class="number">${t('column.failing')}</th>
        <th class="number">${t('busy.processes')}</th>
      </tr>
    </thead>
    <tbody>
      ${numbers.shards.map((shard) => html`<${Row} key=${shard.name} shard=${shard} numbers=${shard.numbers} />`)}
      <${Total} numbers=${numbers} />
    </tbody>
  <//>
`;

function Row({ shard, numbers }) {
  const count = (name, page) => html`<a href=${inDivision(shard, page)}>${number(numbers[name])}</a>`;
  return html`
    <tr class=${shard.trouble ? 'stale' : ''}>
      <td class="main">
        <a class="name" href=${inDivision(shard, '')}>${shard.name}</a>${' '}
        <${State} shard=${shard} numbers=${numbers} />
        <span class="args plain">${shard.address}</span>
      </td>
      ${NUMBERS.map(
        ([name, page]) => html`<td class="number" data-label=${t(`tile.${name}`)}>${numbers ? count(name, page) : '–'}</td>`,
      )}
      <td class="number" data-label=${t('column.latency')}>${numbers?.enqueued ? duration(numbers.latency) : '–'}</td>
      <td class="number" data-label=${t('column.rate')}><${Rate} of=${shard.trouble ? null : numbers?.processedRate} /></td>
      <td class="number" data-label=${t('column.failing')}><${Rate} of=${shard.trouble ? null : numbers?.failedRate} /></td>
      <td class="number" data-label=${t('busy.processes')}>${numbers ? number(numbers.processes) : '–'}</td>
    </tr>
  `;
}

/** Whether a shard answers, how old its numbers are if not, and how many findings there are about it. */
function State({ shard: { trouble }, numbers }) {
  if (trouble) {
    return html`
      <${Badge} kind="bad">${t('shard.state.away')}<//>
      ${numbers && html` <span class="soft">${t('shard.as-of')} <${Ago} at=${numbers.at} /></span>`}
    `;
  }
  const { errors, warnings, notes } = numbers;
  const found = errors + warnings + notes;
  return html`
    ${!found && !numbers.error && html`<${Badge} kind="good">${t('shard.state.good')}<//>`}
    ${found > 0 && html`<${Badge} kind=${errors ? 'bad' : warnings ? 'warn' : ''}>${t('shard.findings', found)}<//>`}
    ${numbers.error !== null && numbers.error !== 0 && html` <${Badge} kind="bad">${t('books.wrong', numbers.error)}<//>`}
  `;
}

const Total = ({ numbers }) => html`
  <tr class="total">
    <td class="main"><strong>${t('shards.total', numbers.shards.length)}</strong></td>
    ${NUMBERS.map(([name]) => html`<td class="number" data-label=${t(`tile.${name}`)}>${sum(numbers, name)}</td>`)}
    <td class="number" data-label=${t('column.latency')}>${numbers.enqueued ? duration(numbers.latency) : '–'}</td>
    <td class="number" data-label=${t('column.rate')}><${Rate} of=${numbers.processedRate} /></td>
    <td class="number" data-label=${t('column.failing')}><${Rate} of=${numbers.failedRate} /></td>
    <td class="number" data-label=${t('busy.processes')}>${sum(numbers, 'processes')}</td>
  </tr>
`;

const Rate = ({ of }) => (of === null || of === undefined ? '–' : number(of));
