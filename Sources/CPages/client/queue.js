import { StatecastError } from "./problems.js";

/**
 * The actions of one mirror on their way. Each is sent when the one before it has been answered, or was
 * given up, and can be given up itself while it waits.
 */
export class ActionQueue {
  /**
   * Ends with the last one that has been sent: the next one waits for it.
   * @type {Promise<void>}
   */
  #last = Promise.resolve();
  /**
   * Each gives up one of them.
   * @type {Set<AbortController>}
   */
  #acting = new Set();

  /** @param {number} limit So many at once; one more is refused. */
  constructor(limit) {
    this.limit = limit;
  }

  /**
   * Acts; throws where too many are on their way.
   * @template Result
   * @param {AbortSignal | undefined} signal Gives it up.
   * @param {(signal: AbortSignal, inTurn: <Answer>(send: () => Promise<Answer>) => Promise<Answer>)
   *   => Promise<Result>} act What it is handed sends when its turn has come.
   */
  async run(signal, act) {
    if (this.#acting.size >= this.limit) throw full(this.limit);
    const giving = new AbortController();
    const stop = () => giving.abort(signal?.reason);
    this.#acting.add(giving);
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
    try {
      return await act(giving.signal, (send) => this.#inTurn(giving.signal, send));
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#acting.delete(giving);
    }
  }

  /** @param {string} why Gives all of them up. */
  giveUp(why) {
    for (const each of this.#acting) each.abort(new DOMException(why, "AbortError"));
  }

  /**
   * @template Answer
   * @param {AbortSignal} signal
   * @param {() => Promise<Answer>} send
   * @returns {Promise<Answer>}
   */
  #inTurn(signal, send) {
    const stopped = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      if (signal.aborted) reject(signal.reason);
    });
    const answer = Promise.race([this.#last, stopped]).then(send);
    // What it comes to is let go of, or each would hold the one before.
    this.#last = Promise.allSettled([this.#last, answer]).then(() => undefined);
    return answer;
  }
}

/** @param {number} limit */
const full = (limit) =>
  new StatecastError(0, {
    type: "/problems/queue-full",
    title: "Too many actions",
    detail: `${limit} actions are on their way, and the server has not answered the first of them.`,
  });
