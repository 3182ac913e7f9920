/** Errors in the user's language. */

import { knows, language, t } from './i18n.js';

/** Codes so general that the server's message helps. */
const GENERAL = ['bad-parameter', 'conflict', 'internal', 'unreachable'];

/**
 * The text of the error's code. The server's own message is English: it is shown if there is no text for the code, and
 * to English readers also beside a general text.
 *
 * @param {{ code?: string, message: string }} error
 */
export function errorText({ code, message }) {
  const key = `error.${code}`;
  if (!knows(key)) return message || t('error.internal');
  return GENERAL.includes(code) && language.get() === 'en' && message ? `${t(key)} ${message}` : t(key);
}

/** Whether only reloading the page helps. */
export const wantsReload = ({ code }) => code === 'signed-out';
