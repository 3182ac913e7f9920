/** Templates for components: they build elements, never strings of markup, so all data is text. */

import htm from './vendor-htm.js';
import { h } from './vendor-preact.js';

export { createContext, render } from './vendor-preact.js';
export {
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from './vendor-hooks.js';

export const html = htm.bind(h);
