/** Calls to the server. */

import { search } from './router.js';
import { store } from './store.js';

/**
 * The user and the available features.
 *
 * @typedef {{ role: 'operator' | 'viewer', actor: string, csrf: { header: string, token: string } | null, locale: string,
 *     locales: string[], version: string, features: Record<string, boolean>, found: { feature: string, pages: string[] }[], idle: number | null,
 *     system: System, at: string, installations: { at: string, system: System }[],
 *     divisions: { view: string, pages: Record<string, string>, all: { at: string, name: string }[] } | null }}
 *     Session at: the segment of the path of the installation, empty for the application's own; divisions: the
 *     installations among which the application divides its jobs, home first, with the name and the pages of the view over
 *     all of them, and the scripts of these
 * @typedef {{ name: string | null, environment: string, colour: string }} System
 */

/** @type {{ get: () => Session | null, set: (session: Session) => void }} */
export const session = store(null);

/** Features with pages that the scripts don't list; a server of another version may not say. */
export const foundFeatures = () => session.get().found ?? [];

export const mayAct = () => session.get().role === 'operator';

/** Counts actions done here, so that shown data are reloaded at once. */
export const doneHere = store(0);

let sending = 0;

/** Whether an action is under way. Shown data are reloaded once it is done; until then they may vanish at any moment. */
export const isActing = () => sending > 0;

/**
 * A failed call. `code` is one of the API's, `signed-out` if a login is required first, or `unreachable` if nothing or
 * only a proxy answers.
 */
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
  throw new ApiError(
    body?.error?.code ?? (meansLogin(response) ? 'signed-out' : 'unreachable'),
    body?.error?.message ?? `HTTP ${response.status}`,
  );
}

/** Whether the application, or something in front of it, requires a login first. */
const meansLogin = ({ status, redirected }) => status === 401 || status === 403 || redirected;

/**
 * @param {string} path below `api/`
 * @param {Record<string, unknown>} [query]
 * @param {AbortSignal} [signal]
 */
export const get = (path, query = {}, signal) => call(path + search(query), { signal });

/** Sends an action. After a new login the token of the old session is invalid: it then tries once more with a new one. */
export async function post(path, body) {
  sending++;
  try {
    return await send(path, body);
  } catch (error) {
    if (error.code !== 'signed-out') throw error;
    session.set(await get('session'));
    return await send(path, body);
  } finally {
    sending--;
    doneHere.set(doneHere.get() + 1);
  }
}

function send(path, body) {
  const { csrf } = session.get();
  const headers = { 'Content-Type': 'application/json', ...(csrf && { [csrf.header]: csrf.token }) };
  return call(path, { method: 'POST', headers, body: JSON.stringify(body) });
}
