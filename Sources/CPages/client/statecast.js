/**
 * The client of Statecast: follow a session's state, send actions to it.
 *
 *     import { openSession } from "/client/statecast.js";
 *     const session = await openSession("/counter", "demo");
 *     session.onState((state) => { output.textContent = state.count; });
 *     await session.dispatch({ type: "incremented", payload: { by: 1 } });
 *
 * No dependency, no build step; types in `statecast.d.ts`.
 */
import { Connection, modes } from "./connection.js";
import { PatchError, applyPatch, reconcile } from "./patch.js";
import { SessionAddress, StatecastError, errorOf } from "./session.js";
import { SharedConnection, canShare } from "./sharing.js";
import { Ordering, parseToken } from "./token.js";

export { PatchError, StatecastError, applyPatch, errorOf, modes, parseToken, reconcile };

/**
 * Makes a session with an id that nobody guesses, or with the id that is given.
 * @param {string} mount
 * @param {string} [id]
 * @returns {Promise<string>} The id.
 */
export async function createSession(mount, id) {
  if (id !== undefined) {
    await new SessionAddress(mount, id).create();
    return id;
  }
  const response = await fetch(`${mount.replace(/\/$/, "")}/sessions`, { method: "POST" });
  if (!response.ok) throw await errorOf(response);
  const location = new URL(response.headers.get("Location") ?? "", response.url);
  return decodeURIComponent(location.pathname.split("/").pop() ?? "");
}

/**
 * Follows a session, which is made if it is not there.
 * @param {string} mount
 * @param {string} id
 * @param {import("./statecast.js").MirrorOptions} [options]
 */
export async function openSession(mount, id, options = {}) {
  await createSession(mount, id);
  return new Mirror(mount, id, options);
}

const defaults = {
  mode: /** @type {import("./statecast.js").Mode} */ ("stream"),
  interval: 2_000,
  patch: false,
};

/** A live copy of a session's state, or of a part of it. */
export class Mirror {
  /** @type {Connection | SharedConnection} */ #connection;
  #ordering = new Ordering();
  #stateListeners = new Set();
  #statusListeners = new Set();
  /** The last of the actions on their way: the next one waits for it, to keep the order. */
  #lastPost = Promise.resolve();
  #closing = new AbortController();

  /**
   * @param {string} mount
   * @param {string} id
   * @param {import("./statecast.js").MirrorOptions} [options]
   */
  constructor(mount, id, options = {}) {
    this.id = id;
    /** @type {import("./statecast.js").MirrorOptions & typeof defaults} */
    this.options = { ...defaults, ...options };
    this.address = new SessionAddress(mount, id, options);
    /** The state as it was last heard; undefined before, and while it is out of scope. */
    this.state = undefined;
    /** @type {string | null} */ this.token = null;
    /** @type {import("./statecast.js").Status} */
    this.status = { phase: "connecting", mode: this.options.mode, isShared: false };
    this.#connection = this.#connect();
    this.#listen();
  }

  /** The number in the token; 0 before the first state. */
  get version() {
    return parseToken(this.token)?.version ?? 0;
  }

  /**
   * Calls back with every new state, and with the present one at once.
   * @param {(state: any, token: string) => void} listener
   * @returns {() => void} Stops it.
   */
  onState(listener) {
    this.#stateListeners.add(listener);
    if (this.state !== undefined) listener(this.state, this.token ?? "");
    return () => this.#stateListeners.delete(listener);
  }

  /**
   * Calls back when the connection changes, and with the present status at once.
   * @param {(status: import("./statecast.js").Status) => void} listener
   * @returns {() => void} Stops it.
   */
  onStatus(listener) {
    this.#statusListeners.add(listener);
    listener(this.status);
    return () => this.#statusListeners.delete(listener);
  }

  /** @param {string} token Whether the mirror shows what the action with this answer did. */
  includes(token) {
    return this.#ordering.includes(token);
  }

  /**
   * Sends an action, or an array as one atomic batch; actions of one mirror keep their order.
   * Throws `StatecastError` with the server's reason.
   * @param {unknown} action
   * @param {import("./statecast.js").DispatchOptions} [options]
   * @returns {Promise<import("./statecast.js").Answer>}
   */
  dispatch(action, options = {}) {
    const ifMatch = options.ifMatch === true ? this.token ?? undefined : options.ifMatch;
    const signal = options.signal ?? this.#closing.signal;
    const { recreate } = this.options;
    const answer = this.#lastPost.then(() =>
      this.address.post(action, { ...options, ifMatch, signal, recreate })
    );
    const accepted = answer.then(() => {
      if (this.status.mode === "poll") this.#connection.check();
    });
    if (!options.settle) this.#lastPost = accepted.catch(() => {});
    return answer;
  }

  /**
   * Follows in another way from now on.
   * @param {import("./statecast.js").Mode} mode
   */
  setMode(mode) {
    if (mode === this.options.mode && mode === this.status.mode) return;
    this.options.mode = mode;
    this.#connection.close();
    this.#connection = this.#connect();
  }

  /** Stops following; actions on their way are given up. */
  close() {
    this.#closing.abort();
    this.#connection.close();
    this.#setStatus({ ...this.status, phase: "closed" });
  }

  #connect() {
    const { mode, identity } = this.options;
    const Kind = identity && mode !== "poll" && canShare() ? SharedConnection : Connection;
    return new Kind(this.address, this.options, {
      token: () => this.token,
      shown: () => this.state,
      alive: () => {},
      state: (token, state) => this.#accept(token, state),
      outOfScope: (token) => this.#accept(token, undefined),
      status: (status) => this.#setStatus(status),
    });
  }

  /**
   * A page that was hidden, frozen or without a network looks at once, not at the next ping. One
   * that the browser keeps for its back button gives its connection up: there are only six a host.
   */
  #listen() {
    const { signal } = this.#closing;
    const check = () => {
      if (document.visibilityState === "visible") this.#connection.check();
    };
    document.addEventListener("visibilitychange", check, { signal });
    window.addEventListener("pagehide", () => this.#connection.close(), { signal });
    window.addEventListener("pageshow", ({ persisted }) => {
      if (persisted) this.#connection = this.#connect();
    }, { signal });
    window.addEventListener("online", check, { signal });
  }

  /**
   * @param {string} token
   * @param {unknown} state undefined where the selected part is out of scope.
   */
  #accept(token, state) {
    const isOutOfScope = state === undefined;
    if (!this.#ordering.accepts(token) && !(isOutOfScope && !parseToken(token))) return;
    this.token = token.replace(/^W\/|"/g, "") || null;
    this.state = this.options.patch ? reconcile(this.state, state) : state;
    if (isOutOfScope) return this.#setStatus({ ...this.status, phase: "outOfScope" });
    if (this.status.phase === "outOfScope") this.#setStatus({ ...this.status, phase: "live" });
    for (const listener of this.#stateListeners) listener(this.state, this.token ?? "");
  }

  /** @param {import("./statecast.js").Status} status */
  #setStatus(status) {
    this.status = status;
    for (const listener of this.#statusListeners) listener(status);
  }
}
