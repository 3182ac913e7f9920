/** Calls to the server. */

import { search } from './router.js';
import { store } from './store.js';

/**
 * Who looks, and what there is.
 *
 * @typedef {{ role: 'operator' | 'viewer', actor: string, csrf: { header: string, token: string } | null, locale: string,
 *     locales: string[], version: string, features: Record<string, boolean> }} Session
 */

/** @type {{ get: () => Session | null, set: (session: Session) => void }} */
export const session = store(null);

export const mayAct = () => session.get().role === 'operator';

/** Counts what was done here, so that what is shown is read anew at once. */
export const doneHere = store(0);

/** An answer that isn't one. `code` is one of the API's or `unreachable`. */
export class ApiError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

async function call(path, options) {
  let response;
  try {
    response = await fetch(`api/${path}`, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('unreachable', error.message);
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  // A proxy or a login page may answer instead of the application.
  throw new ApiError(body?.error?.code ?? 'unreachable', body?.error?.message ?? `HTTP ${response.status}`);
}

/**
 * @param {string} path below `api/`
 * @param {Record<string, unknown>} [query]
 * @param {AbortSignal} [signal]
 */
export const get = (path, query = {}, signal) => call(path + search(query), { signal });

export async function post(path, body) {
  const { csrf } = session.get();
  const headers = { 'Content-Type': 'application/json', ...(csrf && { [csrf.header]: csrf.token }) };
  try {
    return await call(path, { method: 'POST', headers, body: JSON.stringify(body) });
  } finally {
    doneHere.set(doneHere.get() + 1);
  }
}
