/** Failures by job and cause. */

import { act, actionName, rowActionsOf } from '../actions.js';
import { Ago, Badge, Card, Empty, IconButton, PageHead, Segments } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { number, t } from '../i18n.js';
import { usePulse } from '../live.js';
import { everyStep, Runs } from '../metrics/executions.js';
import { link, refine } from '../router.js';
import { Steady } from '../steady.js';
import { Table } from '../table.js';
import { Cause, shortType } from './job-parts.js';

const PLACES = ['retries', 'dead'];
const EVERY_MILLIS = 10_000;
/** The time that the chart of failed executions shows. */
const HOURS = 24;
const CHART_EVERY_MILLIS = 60_000;

export function Page({ query }) {
  const place = query.place === 'dead' ? 'dead' : 'retries';
  const failures = useData('failures', { place }, usePulse(EVERY_MILLIS, place));
  return html`
    <${PageHead} title=${t('nav.failures')} lede=${t('lede.failures')}>
      <${Segments}
        label=${t('failures.place')}
        options=${PLACES.map((some) => [some, t(`nav.${some}`)])}
        value=${place}
        onChoose=${(next) => refine({ place: next })}
      />
    <//>
    <div class="stack">
      <${Lately} />
      <${Loaded} of=${failures}>
        ${({ groups, partial, looked, total }, wish) => html`
          ${
            groups.length
              ? html`<${Card} flush><${Steady} items=${groups} idOf=${idOf} wish=${wish}>${(shown) => html`<${Groups} groups=${shown} place=${place} />`}<//><//>`
              : html`<${Empty} icon="failures" title=${t('empty.failures')}>${t('empty.failures.next')}<//>`
          }
          ${partial && html`<p class="soft">${t('failures.partial', looked, total)}</p>`}
        `}
      <//>
    </div>
  `;
}

/** Failed executions of the last day; nothing if there were none at all. */
function Lately() {
  const { data } = useData('executions', { hours: HOURS }, usePulse(CHART_EVERY_MILLIS));
  if (!data?.series.length) return null;
  const steps = everyStep(data.series, data.steps, data.step, [0, 0]);
  return html`<${Runs} failures title=${t('failures.lately', HOURS)} steps=${steps} deploys=${data.deploys} />`;
}

const idOf = ({ job, cause }) => JSON.stringify([job, cause]);

const Groups = ({ groups, place }) => html`
  <${Table}>
    <thead>
      <tr>
        <th>${t('column.job')}</th>
        <th>${t('column.error')}</th>
        <th class="number">${t('column.count')}</th>
        <th>${t('column.first')}</th>
        <th>${t('column.last')}</th>
        <th><span class="visually-hidden">${t('column.actions')}</span></th>
      </tr>
    </thead>
    <tbody>
      ${groups.map(
        (group) => html`<${Group} key=${idOf(group)} group=${group} place=${place} />`,
      )}
    </tbody>
  <//>
`;

function Group({ group: { job, cause, count, first, last, sample }, place }) {
  const matching = { job, cause };
  // The filters can't select jobs without a name.
  const actions = job ? rowActionsOf(place) : [];
  return html`
    <tr>
      <td class="main">${job ? html`<a class="name" href=${link(place, matching)}>${job}</a>` : t('job.nameless')}</td>
      <td class="main"><${Cause} error=${sample.error ?? { type: shortType(cause) || t('failures.nameless') }} /></td>
      <td class="number" data-label=${t('column.count')}><${Badge} kind="bad">${number(count)}<//></td>
      <td data-label=${t('column.first')}><${Ago} at=${first} /></td>
      <td data-label=${t('column.last')}><${Ago} at=${last} /></td>
      <td class="does">
        ${actions.map(
          ([action, icon]) => html`
            <${IconButton}
              name=${icon}
              label=${actionName(action, place)}
              of=${job}
              onClick=${() => act(action, { place, matching })}
            />
          `,
        )}
      </td>
    </tr>
  `;
}
