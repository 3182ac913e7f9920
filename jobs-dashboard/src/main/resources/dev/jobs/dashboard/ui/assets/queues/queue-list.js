/** What a list of queues on a page of its own has: an order that can be chosen. */

import { Segments } from '../basics.js';
import { useData } from '../data.js';
import { html } from '../html.js';
import { t } from '../i18n.js';
import { live } from '../live.js';
import { refine } from '../router.js';
import { useStore } from '../store.js';

/** The queues that an address asks for, and how they are sorted. @param {Record<string, string>} query */
export function useQueues({ from, size, text, turned, sort: by = 'name' }) {
  const numbers = useStore(live);
  const queues = useData('queues', { from, size, text, sort: by, turned }, numbers?.at);
  return { queues, sort: { by, turned: turned === 'true', onSort: choose } };
}

const choose = (next, turn) => refine({ sort: next, turned: turn || null, from: null });

/** @param {{ sort: import('../table.js').Sort }} props */
export const QueueOrder = ({ sort }) => html`
  <${Segments}
    label=${t('sort.label')}
    options=${['name', 'size', 'latency'].map((name) => [name, t(`sort.${name}`)])}
    value=${sort.by}
    onChoose=${(next) => sort.onSort(next, false)}
  />
`;
