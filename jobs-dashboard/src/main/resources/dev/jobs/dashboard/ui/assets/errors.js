/** What went wrong, in the user's words. */

import { knows, t } from './i18n.js';

/** @param {{ code?: string }} error */
export const errorText = ({ code }) => t(knows(`error.${code}`) ? `error.${code}` : 'error.internal');
