import { backoff } from "./backoff.js";
import { longPoll, poll, stream } from "./transports.js";

/** In which order one stands in for the other. */
export const modes = /** @type {const} */ (["stream", "longPoll", "poll"]);

/** So many tries in a row that bring nothing make the next mode stand in. */
const patience = 3;
/** After this time in a mode that stands in, the preferred one is tried again. */
const hopefulAfter = 5 * 60_000;

/**
 * Follows one session: keeps a transport open, opens it again with a growing, random pause, falls
 * back to the next mode where the server answers but the mode does not work, and has the session
 * made again where the server has forgotten it, if the page says how.
 */
export class Connection {
  /** @type {import("./transports.js").Transport | null} */ #transport = null;
  #timer = 0;
  #hopeTimer = 0;
  #attempt = 0;
  #fruitless = 0;
  #wasHeard = false;
  #isOpen = true;
  /** What is shown does not fit what came: the next stream begins with a snapshot. */
  #needsSnapshot = false;

  /**
   * @param {import("./session.js").SessionAddress} address
   * @param {import("./statecast.js").MirrorOptions & { mode: import("./statecast.js").Mode, interval: number, patch: boolean }} options
   * @param {object} reports
   * @param {() => string | null} reports.token
   * @param {() => unknown} reports.shown
   * @param {(token: string, state: unknown) => void} reports.state
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
  }

  /** Something may have happened to the connection, or news are expected: look soon. */
  check() {
    if (!this.#isOpen) return;
    if (this.#transport) this.#transport.check();
    else this.#open();
  }

  #open() {
    clearTimeout(this.#timer);
    this.#wasHeard = false;
    this.#status(this.#attempt || this.#fruitless ? "reconnecting" : "connecting");
    const open = { stream, longPoll, poll }[this.mode];
    const transport = open(this.address, this.#transportReports(), this.options);
    this.#transport = transport;
  }

  /** @returns {import("./transports.js").Reports} */
  #transportReports() {
    return {
      token: () => this.#needsSnapshot ? null : this.reports.token(),
      shown: this.reports.shown,
      alive: () => {
        if (!this.#wasHeard) {
          this.#wasHeard = true;
          this.#attempt = 0;
          this.#fruitless = 0;
          this.#status("live");
        }
        this.reports.alive();
      },
      state: (token, state) => {
        this.#needsSnapshot = false;
        this.reports.state(token, state);
      },
      outOfScope: this.reports.outOfScope,
      ended: (why) => void this.#ended(why),
    };
  }

  /** @param {import("./transports.js").Ending} why */
  async #ended(why) {
    this.#transport = null;
    if (!this.#isOpen) return;
    if (why === "unauthorized") return this.#stop("unauthorized");
    if (why === "over") return this.#stop("ended");
    if (why === "gap") this.#needsSnapshot = true;
    this.#status("reconnecting");
    if (why === "missing") return this.#recreate();
    if (why !== "busy" && !this.#wasHeard) await this.#askWhy(why);
    if (this.#isOpen && !this.#transport) this.#openLater(why === "busy" ? 2_000 : 500);
  }

  /**
   * An `EventSource` does not tell why it failed: asks for the session's description instead.
   * @param {import("./transports.js").Ending} why
   */
  async #askWhy(why) {
    const response = await fetch(this.address.url, { cache: "no-store" }).catch(() => null);
    if (!this.#isOpen) return;
    if (response?.status === 410) return this.#stop("ended");
    if (response?.status === 404) return this.#recreate();
    if (response?.status === 401 || response?.status === 403) return this.#stop("unauthorized");
    if (!response?.ok) return;
    this.#fruitless += why === "silent" ? 2 : 1;
    if (this.#fruitless >= patience) this.#fallBack();
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

  async #recreate() {
    const { recreate } = this.options;
    if (!recreate) return this.#stop("ended");
    const error = await recreate().then(() => null, (error) => error);
    if (!this.#isOpen) return;
    if (error?.status === 410) this.#stop("ended");
    else this.#openLater();
  }

  /** @param {number} [base] Of the pause, in milliseconds. */
  #openLater(base = 500) {
    clearTimeout(this.#timer);
    const pause = backoff(this.#attempt, { base });
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.#open(), pause);
  }

  /** @param {import("./statecast.js").Phase} phase */
  #stop(phase) {
    this.close();
    this.#status(phase);
  }

  /** @param {import("./statecast.js").Phase} phase */
  #status(phase) {
    this.reports.status({ phase, mode: this.mode, isShared: false });
  }
}
