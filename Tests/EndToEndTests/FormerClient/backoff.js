/** How long to wait before the next try, so that many clients do not come back at once. */

/**
 * Full jitter between a quarter of the ceiling and the ceiling, which doubles with every attempt.
 * @param {number} attempt Counted from 0.
 * @param {{ base?: number, limit?: number, random?: () => number }} [options] In milliseconds.
 */
export function backoff(attempt, options = {}) {
  const { base = 500, limit = 20_000, random = Math.random } = options;
  const ceiling = Math.min(limit, base * 2 ** Math.min(attempt, 16));
  return Math.round(ceiling / 4 + random() * ceiling * 0.75);
}

/**
 * Reads `Retry-After`, in seconds or as a date.
 * @param {string | null} value
 * @param {number} [now]
 * @returns {number | null} Milliseconds, at most a minute.
 */
export function retryAfter(value, now = Date.now()) {
  if (!value) return null;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(milliseconds) ? null : Math.min(60_000, Math.max(0, milliseconds));
}

/**
 * Waits, or rejects with the signal's reason.
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 */
export function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(undefined);
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
