/** The server's findings about Redis, the workers or one job, in the user's language. */

import { knows, t } from './i18n.js';

/** Findings whose first value is a count; otherwise it is a name, which may look like a number and stays as it is. */
const COUNTS = ['no-process', 'memory', 'books', 'behind', 'busy', 'children', 'running', 'retry', 'scheduled', 'nowhere', 'unreached', 'outbox'];

/**
 * @param {string} key of its text; the key of the advice ends with `.next`
 * @param {{ code: string, subject: string, values: string[], message: string }} finding
 * @returns {{ title: string, next: string | null }} what it is, and what to do about it
 */
export function describe(key, { code, subject, values, message }) {
  const first = COUNTS.includes(code) ? asNumber(subject) : subject;
  const all = subject === '' ? values : [first, ...values.map(asNumber)];
  return {
    title: knows(key) ? t(key, ...all) : message,
    next: knows(`${key}.next`) ? t(`${key}.next`, ...all) : null,
  };
}

const asNumber = (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);
