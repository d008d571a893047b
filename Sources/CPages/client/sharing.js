import { Connection } from "./connection.js";
import { silenceLimit } from "./transports.js";

/** How long a tab that asked for a sign of life waits for it. */
const answerLimit = 3_000;

export const isHidden = () => globalThis.document?.visibilityState === "hidden";

/** Whether this browser, and this page's origin, allow tabs to share. */
export const canShare = () => Boolean(globalThis.navigator?.locks && globalThis.BroadcastChannel);

/**
 * One connection for all tabs in which the same person follows the same thing. What a connection
 * brings is what the server shows that person: nothing of it, not even its end, reaches tabs that
 * name another one. Browsers open six connections to a host over HTTP/1.1, so that the seventh tab's
 * requests would hang. The tab that holds a lock connects and tells the others; when it closes, the
 * lock passes on; when it sleeps, it is taken from it.
 */
export class SharedConnection {
  /** @type {Connection | null} */ #connection = null;
  /** @type {import("./statecast.js").Status | null} */ #status = null;
  /** @type {{ token: string, state?: unknown, isOutOfScope: boolean } | null} */ #latest = null;
  #closing = new AbortController();
  /** Whether a request for the lock stands in line: it stays there while a taken lock is held. */
  #isInLine = false;
  /** @type {any} */ #timer;
  #release = () => {};

  /**
   * @param {import("./session.js").SessionAddress} address
   * @param {ConstructorParameters<typeof Connection>[1]} options
   * @param {ConstructorParameters<typeof Connection>[2]} reports
   */
  constructor(address, options, reports) {
    this.address = address;
    this.options = options;
    this.reports = reports;
    const kind = options.patch ? `${options.mode} patches` : options.mode;
    this.name = `statecast ${kind} ${address.resource("events")} as ${options.identity}`;
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = ({ data }) => this.#receive(data);
    this.#wait();
    this.#ask({ isNew: true });
  }

  close() {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#connection?.close();
    this.#release();
    this.channel.close();
  }

  /** Looks after the connection, or asks the tab that has it to. */
  check() {
    if (this.#connection) this.#connection.check();
    else this.#ask();
  }

  /** Stands in line for the lock. */
  #wait() {
    if (this.#isInLine) return;
    this.#isInLine = true;
    const { signal } = this.#closing;
    navigator.locks.request(this.name, { signal }, () => {
      this.#isInLine = false;
      return this.#lead();
    }).catch(() => this.#lost());
  }

  #steal() {
    if (this.#connection || this.#closing.signal.aborted) return;
    navigator.locks.request(this.name, { steal: true }, () => this.#lead())
      .catch(() => this.#lost());
  }

  /** Holds the lock, and with it the connection, until the mirror closes or the lock is taken. */
  #lead() {
    if (this.#connection || this.#closing.signal.aborted) return undefined;
    clearTimeout(this.#timer);
    this.#connection = new Connection(this.address, this.options, {
      token: this.reports.token,
      answered: this.reports.answered,
      shown: this.reports.shown,
      state: (token, state) => this.#tell({ kind: "state", token, state }),
      moved: (token) => this.#tell({ kind: "moved", token }),
      outOfScope: (token) => this.#tell({ kind: "outOfScope", token }),
      alive: () => this.#tell({ kind: "alive" }),
      status: (status) => this.#tell({ kind: "status", status }),
    });
    return new Promise((resolve) => {
      this.#release = () => resolve(undefined);
    });
  }

  /** The lock was taken by a tab that found this one asleep. */
  #lost() {
    if (this.#closing.signal.aborted || !this.#connection) return;
    this.#connection.close();
    this.#connection = null;
    this.#wait();
    this.#ask();
  }

  /** @param {any} message */
  #tell(message) {
    this.#take(message);
    this.channel.postMessage(message);
  }

  /** @param {any} message */
  #receive(message) {
    if (message.kind === "hello") return this.#answer(message);
    if (this.#connection) return;
    this.#watch(silenceLimit / 2);
    this.#take(message);
  }

  /**
   * Tells a tab what the others know. One that has just come may know better than a refusal of before.
   * @param {{ isNew?: boolean }} asked
   */
  #answer({ isNew }) {
    if (!this.#connection) return;
    if (isNew) this.#connection.retry();
    this.#connection.check();
    if (this.#status) this.channel.postMessage({ kind: "status", status: this.#status });
    const latest = this.#latest ?? this.#shown();
    if (!latest) return;
    const { isOutOfScope, token, state } = latest;
    const kind = isOutOfScope ? "outOfScope" : "state";
    this.channel.postMessage({ kind, token, state });
  }

  /** What this tab was shown by a connection before this one, which goes on behind it. */
  #shown() {
    const [token, state] = [this.reports.token(), this.reports.shown()];
    return token && state !== undefined ? { token, state, isOutOfScope: false } : null;
  }

  /** @param {any} message */
  #take({ kind, token, state, status }) {
    switch (kind) {
      case "state":
        this.#latest = { token, state, isOutOfScope: false };
        return this.reports.state(token, state);
      case "outOfScope":
        this.#latest = { token, isOutOfScope: true };
        return this.reports.outOfScope(token);
      case "moved":
        return this.reports.moved(token);
      case "status":
        this.#status = status;
        return this.reports.status({ ...status, isShared: !this.#connection });
      default:
        return this.reports.alive();
    }
  }

  /**
   * Asks for a sign of life; where none comes, this tab takes over.
   * @param {{ isNew?: boolean }} [about]
   */
  #ask(about) {
    this.channel.postMessage({ kind: "hello", ...about });
    this.#watch(answerLimit);
  }

  /** @param {number} limit */
  #watch(limit) {
    clearTimeout(this.#timer);
    if (this.#connection) return;
    const asked = limit === answerLimit;
    this.#timer = setTimeout(() => {
      if (isHidden()) this.#watch(silenceLimit / 2);
      else if (asked) this.#steal();
      else this.#ask();
    }, limit);
  }
}
