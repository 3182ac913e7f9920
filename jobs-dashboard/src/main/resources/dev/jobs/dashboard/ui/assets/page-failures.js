/** Failures by job and cause. */

import { act, actionName, actionsOf, ICONS } from './actions.js';
import { Ago, Badge, Card, Empty, IconButton, PageHead, Segments } from './basics.js';
import { Loaded, useData } from './data.js';
import { html } from './html.js';
import { number, t } from './i18n.js';
import { Cause, shortType } from './jobs-table.js';
import { usePulse } from './live.js';
import { link, refine } from './router.js';
import { Table } from './table.js';

const PLACES = ['retries', 'dead'];
const EVERY_MILLIS = 10_000;

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
    <${Loaded} of=${failures}>
      ${({ groups, partial, looked, total }) => html`
        ${
          groups.length
            ? html`<${Card} flush><${Groups} groups=${groups} place=${place} /><//>`
            : html`<${Empty} icon="failures" title=${t('empty.failures')}>${t('empty.failures.next')}<//>`
        }
        ${partial && html`<p class="soft">${t('failures.partial', looked, total)}</p>`}
      `}
    <//>
  `;
}

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
        (group) => html`<${Group} key=${JSON.stringify([group.job, group.cause])} group=${group} place=${place} />`,
      )}
    </tbody>
  <//>
`;

function Group({ group: { job, cause, count, first, last, sample }, place }) {
  const matching = { job, cause };
  // The filters can't select jobs without a name.
  const actions = job ? actionsOf(place) : [];
  return html`
    <tr>
      <td class="main">${job ? html`<a class="name" href=${link(place, matching)}>${job}</a>` : t('job.nameless')}</td>
      <td class="main"><${Cause} error=${sample.error ?? { type: shortType(cause) || t('failures.nameless') }} /></td>
      <td class="number" data-label=${t('column.count')}><${Badge} kind="bad">${number(count)}<//></td>
      <td data-label=${t('column.first')}><${Ago} at=${first} /></td>
      <td data-label=${t('column.last')}><${Ago} at=${last} /></td>
      <td class="does">
        ${actions.map(
          (action) => html`
            <${IconButton}
              name=${ICONS[action]}
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
