/** A value that components can watch. */

import { useEffect, useState } from './html.js';

/**
 * @template T
 * @typedef {{ get: () => T, set: (next: T) => void, watch: (watcher: (value: T) => void) => () => void }} Store
 */

/**
 * @template T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function store(initial) {
  let value = initial;
  const watchers = new Set();
  return {
    get: () => value,
    /** @param {T} next */
    set(next) {
      if (next === value) return;
      value = next;
      watchers.forEach((watcher) => watcher(next));
    },
    /** @param {(value: T) => void} watcher @returns {() => void} ends the watch */
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** The current value of a store; the component is re-rendered when it changes. */
export function useStore(source) {
  const [value, setValue] = useState(source.get());
  useEffect(() => {
    setValue(source.get());
    return source.watch(setValue);
  }, [source]);
  return value;
}
