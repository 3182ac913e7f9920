/** The method that is called when a job is given up. */

import { useData } from '../data.js';
import { html } from '../html.js';
import { t } from '../i18n.js';

/**
 * Among the facts of a job; nothing if there is none.
 *
 * @param {{ name: string }} props of the job that would run
 */
export function LastWord({ name }) {
  const { data } = useData('last-word', { name });
  return data?.method && html`<dt>${t('last-word.title')}</dt><dd class="break"><code>${data.method}</code></dd>`;
}
