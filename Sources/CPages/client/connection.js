import { backoff, within } from "./backoff.js";
import { noAnswer } from "./problems.js";
import { longPoll, poll, stream } from "./transports.js";

/** In which order one stands in for the other. */
export const modes = /** @type {const} */ (["stream", "longPoll", "poll"]);

/** So many tries in a row that bring nothing make the next mode stand in. */
const patience = 3;
/** After this time in a mode that stands in, the preferred one is tried again. */
const hopefulAfter = 5 * 60_000;
/** What ends sooner after it was heard of is opened again with growing pauses, as if it had not been. */
const steadyAfter = 5_000;

/**
 * The refusals that no try after them changes; a 404 of a proxy is none.
 * @type {Record<string, import("./statecast.js").Phase>}
 */
const last = { "session-not-found": "lost", "session-ended": "ended" };

/**
 * Follows one session: keeps a transport open, opens it again with a growing, random pause, and falls
 * back to the next mode where the server answers but the mode does not work.
 */
export class Connection {
  /** @type {import("./transports.js").Transport | null} */ #transport = null;
  /** @type {any} */ #timer;
  /** @type {any} */ #hopeTimer;
  /** @type {any} */ #steadyTimer;
  #attempt = 0;
  /** Streams that lived for a short time, one behind the other. */
  #brief = 0;
  #fruitless = 0;
  #wasHeard = false;
  #isOpen = true;
  /** By an answer that no try changes. */
  #isRefused = false;
  /** What is shown does not fit what came: the next stream begins with a snapshot. */
  #needsSnapshot = false;

  /**
   * @param {import("./session.js").SessionAddress} address
   * @param {import("./statecast.js").MirrorOptions & { mode: import("./statecast.js").Mode, interval: number, patch: boolean }} options
   * @param {object} reports
   * @param {() => string | null} reports.token
   * @param {() => string | null} reports.answered
   * @param {() => unknown} reports.shown
   * @param {(token: string, state: unknown) => void} reports.state
   * @param {(token: string) => void} reports.moved
   * @param {(token: string) => void} reports.outOfScope
   * @param {() => void} reports.alive
   * @param {(status: import("./statecast.js").Status) => void} reports.status
   */
  constructor(address, options, reports) {
    this.address = address;
    this.options = options;
    this.reports = reports;
    this.mode = options.mode;
    this.#open();
  }

  close() {
    this.#isOpen = false;
    this.#transport?.close();
    clearTimeout(this.#timer);
    clearTimeout(this.#hopeTimer);
    clearTimeout(this.#steadyTimer);
  }

  /** Something may have happened to the connection, or news are expected: look soon. */
  check() {
    if (!this.#isOpen || this.#isRefused) return;
    if (this.#transport) this.#transport.check();
    else this.#open();
  }

  /** Asks again for what was refused: somebody has signed in, or has made the session. */
  retry() {
    if (this.#isOpen && this.#isRefused) this.#open();
  }

  #open() {
    clearTimeout(this.#timer);
    clearTimeout(this.#steadyTimer);
    this.#wasHeard = false;
    this.#isRefused = false;
    this.#status(this.#attempt || this.#fruitless ? "reconnecting" : "connecting");
    const open = { stream, longPoll, poll }[this.mode];
    const transport = open(this.address, this.#transportReports(), this.options);
    this.#transport = transport;
  }

  /** @returns {import("./transports.js").Reports} */
  #transportReports() {
    return {
      ...this.reports,
      token: () => this.#needsSnapshot ? null : this.reports.token(),
      alive: () => {
        if (!this.#wasHeard) {
          this.#wasHeard = true;
          this.#attempt = this.#brief++;
          this.#steadyTimer = setTimeout(() => this.#attempt = this.#brief = 0, steadyAfter);
          this.#fruitless = 0;
          this.#status("live");
        }
        this.reports.alive();
      },
      state: (token, state) => {
        this.#needsSnapshot = false;
        this.reports.state(token, state);
      },
      ended: (...ending) => void this.#ended(...ending),
    };
  }

  /**
   * @param {import("./transports.js").Ending} why
   * @param {import("./statecast.js").StatecastError} [refusal]
   * @param {number | null} [least] The pause that the server asked for, in milliseconds.
   */
  async #ended(why, refusal, least = refusal?.retryAfter ?? 0) {
    this.#transport = null;
    clearTimeout(this.#steadyTimer);
    if (!this.#isOpen) return;
    // A token that has expired is made anew; a cookie may be another person's by now.
    const isRenewed = typeof this.options.headers === "function" && this.#wasHeard;
    if (why === "unauthorized" && !isRenewed) return this.#stop("unauthorized");
    const status = refusal?.status ?? 0;
    // A session that a build cannot read (423) is read by the next one.
    const isLocked = status === 423;
    const isTold = refusal?.problem.type !== undefined;
    const isDenied = status === 401 || (status === 403 && isTold);
    const isFinal = refusal?.reaction === "giveUp" && isTold && status < 500 && !isLocked;
    const phase = isDenied ? "unauthorized" : last[refusal?.code ?? ""] ?? (isFinal ? "refused" : undefined);
    if (phase) return this.#stop(phase, refusal?.problem);
    if (why === "gap") this.#needsSnapshot = true;
    const isLater = why === "busy" || isLocked || refusal?.reaction === "again";
    this.#status("reconnecting", refusal?.problem);
    const isFruitless = !isLater && !this.#wasHeard && (refusal || await this.#isAnswering());
    if (!this.#isOpen) return;
    if (isFruitless) {
      this.#fruitless += why === "silent" ? 2 : 1;
      if (this.#fruitless >= patience) this.#fallBack();
    }
    if (!this.#transport) {
      this.#openLater(isLater ? 2_000 : 500, least ?? 0);
    }
  }

  /** Whether the server can be reached although the transport brought nothing. */
  #isAnswering() {
    const { address } = this;
    const look = (/** @type {AbortSignal} */ signal) =>
      address.ask(address.url, { signal }, async () => true);
    return within(10_000, undefined, look, () => noAnswer("timeout"))
      .catch((error) => error.status > 0 && error.status < 500);
  }

  #fallBack() {
    const next = modes[modes.indexOf(this.mode) + 1];
    if (!next) return;
    this.mode = next;
    this.#fruitless = 0;
    this.#attempt = 0;
    clearTimeout(this.#hopeTimer);
    this.#hopeTimer = setTimeout(() => {
      this.mode = this.options.mode;
      this.#transport?.close();
      this.#open();
    }, hopefulAfter);
  }

  /**
   * @param {number} base Of the pause, in milliseconds.
   * @param {number} least The pause that the server asked for.
   */
  #openLater(base, least) {
    clearTimeout(this.#timer);
    const pause = Math.max(least, backoff(this.#attempt, { base }));
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.#open(), pause);
  }

  /**
   * @param {import("./statecast.js").Phase} phase
   * @param {import("./statecast.js").Problem} [problem]
   */
  #stop(phase, problem) {
    clearTimeout(this.#hopeTimer);
    this.#isRefused = true;
    this.#status(phase, problem);
  }

  /**
   * @param {import("./statecast.js").Phase} phase
   * @param {import("./statecast.js").Problem} [problem] Why, where the server has said it.
   */
  #status(phase, problem) {
    this.reports.status({ phase, mode: this.mode, isShared: false, ...(problem && { problem }) });
  }
}
