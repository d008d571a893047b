/** The time of a server, for countdowns: its clock and this device's may be apart. */
export class ServerClock {
  #least = -Infinity;
  #most = Infinity;

  /**
   * Learns from an answer's `Date`, which counts whole seconds: each one bounds the difference, and
   * together they narrow it down. Where they contradict, a clock was set, and the last one counts.
   * @param {string | null} date
   * @param {number} sent When the request went out, in milliseconds since 1970.
   * @param {number} [heard] When the answer began.
   */
  learn(date, sent, heard = Date.now()) {
    const second = Date.parse(date ?? "");
    if (Number.isNaN(second)) return;
    const [least, most] = [second - heard, second + 1_000 - sent];
    const fits = least <= this.#most && most >= this.#least;
    this.#least = fits ? Math.max(least, this.#least) : least;
    this.#most = fits ? Math.min(most, this.#most) : most;
  }

  /** By how much the server's clock is ahead, in milliseconds; 0 where nothing speaks against it. */
  get offset() {
    if (this.#least <= 0 && this.#most >= 0) return 0;
    return Math.round((this.#least + this.#most) / 2);
  }

  /** The server's time, in milliseconds since 1970. */
  now() {
    return Date.now() + this.offset;
  }
}

/** @type {Map<string, ServerClock>} */
const clocks = new Map();

/**
 * The clock of the server at an address, which all requests of this client have learnt from.
 * @param {string} [url] The page's own server unless given.
 * @returns {ServerClock}
 */
export function clockOf(url = globalThis.location.href) {
  const { origin } = new URL(url, globalThis.location?.href);
  const clock = clocks.get(origin) ?? new ServerClock();
  clocks.set(origin, clock);
  return clock;
}
