/** The server's findings about Redis, the workers or one job, in the user's language. */

import { duration, knows, t } from './i18n.js';

/** Findings whose first value is a count; otherwise it is a name, which may look like a number and stays as it is. */
const COUNTS = ['no-process', 'memory', 'books', 'behind', 'busy', 'children', 'running', 'retry', 'scheduled', 'nowhere', 'unreached', 'outbox'];

/** Findings whose last value is a time in milliseconds. */
const TIMES = ['rate', 'debounced'];

/** The kinds of notices for the levels of findings. */
export const KINDS = { error: 'error', warning: 'warn' };

/**
 * @param {string} key of its text; the key of the advice ends with `.next`
 * @param {{ code: string, subject: string, values: string[], message: string }} finding
 * @returns {{ title: string, next: string | null }} what it is, and what to do about it
 */
export function describe(key, { code, subject, values, message }) {
  const first = COUNTS.includes(code) ? asNumber(subject) : subject;
  const shown = TIMES.includes(code) ? [...values.slice(0, -1), duration(Number(values.at(-1)))] : values.map(asNumber);
  const all = subject === '' ? (TIMES.includes(code) ? shown : values) : [first, ...shown];
  return {
    title: knows(key) ? t(key, ...all) : message,
    next: knows(`${key}.next`) ? t(`${key}.next`, ...all) : null,
  };
}

const asNumber = (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);
