/** What went wrong, in the user's words. */

import { knows, language, t } from './i18n.js';

/** Codes that say so little that the server's sentence helps. */
const GENERAL = ['bad-parameter', 'conflict', 'internal', 'unreachable'];

/**
 * The text of the error's code. The server's own words are English: they stand where there is no text for the code, and for who reads
 * English also beside one that says little.
 *
 * @param {{ code?: string, message: string }} error
 */
export function errorText({ code, message }) {
  const key = `error.${code}`;
  if (!knows(key)) return message || t('error.internal');
  return GENERAL.includes(code) && language.get() === 'en' && message ? `${t(key)} ${message}` : t(key);
}

/** Whether only loading the page anew helps. */
export const wantsReload = ({ code }) => code === 'signed-out';
