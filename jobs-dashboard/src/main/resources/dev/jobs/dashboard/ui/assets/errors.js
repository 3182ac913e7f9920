/** Errors in the user's language. */

import { knows, language, t } from './i18n.js';

/** Codes so general that the server's message helps. */
const GENERAL = ['bad-parameter', 'conflict', 'internal', 'unreachable'];
/** Codes of which the server's message says what is wrong, in the words of the job's code. */
const DETAILED = ['bad-arguments', 'bad-schedule'];

/**
 * The text of the error's code. The server's own message is English: it is shown if there is no text for the code, and
 * to English readers also beside a general text.
 *
 * @param {{ code?: string, message: string }} error
 */
export function errorText({ code, message }) {
  const key = `error.${code}`;
  if (!knows(key)) return message || t('error.internal');
  if (DETAILED.includes(code)) return `${t(key)} ${message}`;
  return GENERAL.includes(code) && language.get() === 'en' && message ? `${t(key)} ${message}` : t(key);
}

/** Whether only reloading the page helps. */
export const wantsReload = ({ code }) => code === 'signed-out';
