/**
 * @param {any} listener
 * @param {Set<any>} listeners
 * @returns {() => void} Takes it out again.
 */
export function added(listener, listeners) {
  const own = (/** @type {any[]} */ ...values) => listener(...values);
  listeners.add(own);
  return () => void listeners.delete(own);
}

/**
 * What a listener throws reaches neither the others nor the connection.
 * @param {Set<any>} listeners
 * @param {any[]} values
 */
export function call(listeners, ...values) {
  for (const listener of [...listeners]) {
    try {
      listener(...values);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
