/** Copies texts to the clipboard. */

import { IconButton } from './basics.js';
import { html } from './html.js';
import { t } from './i18n.js';
import { toast } from './toast.js';

/** @param {{ text: string, of: string }} props of: what is copied */
export const Copy = ({ text, of }) => html`
  <${IconButton} name="copy" label=${t('action.copy')} of=${of} onClick=${() => copy(text, of)} />
`;

async function copy(text, of) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t('done.copy', of));
  } catch {
    toast(copyOldWay(text) ? t('done.copy', of) : t('done.copy.failed'));
  }
}

/** The clipboard of browsers is open to pages with HTTPS or on this machine only. @param {string} text */
function copyOldWay(text) {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}
