/** A page that no list of the dashboard has. */

import { PageHead } from '../basics.js';
import { Loaded, useData } from '../data.js';
import { html } from '../html.js';
import { t } from '../i18n.js';

export function Page() {
  const things = useData('things');
  return html`
    <${PageHead} title=${t('nav.things')} />
    <${Loaded} of=${things}>${({ counted }) => html`<p class="counted">${counted} things</p>`}<//>
  `;
}
