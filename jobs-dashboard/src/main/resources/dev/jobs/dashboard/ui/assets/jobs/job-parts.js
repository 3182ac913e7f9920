/** What several pages show of a job in a list. */

import { Badge } from '../basics.js';
import { html } from '../html.js';
import { plural, t } from '../i18n.js';

/**
 * @param {{ tags?: string[], onTag?: (tag: string) => void }} props onTag: narrows the list to those with the tag
 */
export const Tags = ({ tags, onTag }) =>
  (tags ?? []).map((tag) =>
    onTag
      ? html` <button type="button" class="badge accent" title=${t('filter.tag.only', tag)} onClick=${() => onTag(tag)}>${tag}</button>`
      : html` <${Badge} kind="accent">${tag}<//>`,
  );

/** Why a job failed, and how often. @param {{ error?: { type: string, message?: string } | null, attempts?: number }} props */
export const Cause = ({ error, attempts }) => html`
  <span class="cause">
    ${error ? html`<b>${shortType(error.type)}</b>${error.message && ` ${error.message}`}` : '–'}
  </span>
  ${attempts > 0 && html`<span class="small faint">${plural('attempts', attempts)}</span>`}
`;

/** An exception without its package. @param {string | null | undefined} type */
export const shortType = (type) => type?.split('.').at(-1) ?? '';
