/**
 * The client of Statecast: follow a session's state, send actions to it.
 *
 *     import { openSession } from "/client/statecast.js";
 *     const session = await openSession("/counter", "demo");
 *     session.onState((state) => { output.textContent = state.count; });
 *     await session.dispatch({ type: "incremented", payload: { by: 1 } });
 *
 * A session is a store as Redux has them: `getState`, `subscribe`, `dispatch`. No dependency, no build
 * step, in pages, workers and Node; types in `statecast.d.ts`, more in the article "The JavaScript
 * client".
 */
import { clockOf } from "./clock.js";
import { Connection, modes } from "./connection.js";
import { connectDevTools } from "./devtools.js";
import { Forecast } from "./forecast.js";
import { PatchError, applyPatch, reconcile } from "./patch.js";
import { StatecastError, errorOf } from "./problems.js";
import { SessionAddress, randomKey, request, send, sessionsOf } from "./session.js";
import { SharedConnection, canShare, isHidden } from "./sharing.js";
import { TextField } from "./text-field.js";
import { Ordering, parseToken, reaches } from "./token.js";

export {
  PatchError,
  StatecastError,
  TextField,
  applyPatch,
  clockOf,
  connectDevTools,
  errorOf,
  modes,
  parseToken,
  reconcile,
  request,
};

/**
 * Makes a session with an id that nobody guesses, or with the id that is given, unless it is there.
 * @param {string} mount
 * @param {string} [id]
 * @param {import("./statecast.js").CreateOptions} options
 * @returns {Promise<string>} The id.
 */
export async function createSession(mount, id, { input, signal, ...options } = {}) {
  const body = input === undefined ? undefined : JSON.stringify(input);
  /** @type {Record<string, string>} */
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const sessions = sessionsOf(mount);
  if (id !== undefined) {
    const request = { method: "PUT", headers, body, signal };
    return send(`${sessions}/${encodeURIComponent(id)}`, request, options, async () => id);
  }
  // Sent again it would make another one.
  return send(sessions, { method: "POST", headers, body, signal }, { ...options, attempts: 1 },
    async (response) => {
      const location = new URL(response.headers.get("Location") ?? "", response.url || sessions);
      return decodeURIComponent(location.pathname.split("/").pop() ?? "");
    });
}

/**
 * Follows a session, which is made if it is not there.
 * @param {string} mount
 * @param {string} id
 * @param {import("./statecast.js").MirrorOptions & import("./statecast.js").CreateOptions} [options]
 */
export async function openSession(mount, id, options = {}) {
  await createSession(mount, id, options);
  return new Mirror(mount, id, options);
}

const closedText = "The mirror was closed.";

const defaults = {
  mode: /** @type {import("./statecast.js").Mode} */ ("stream"),
  interval: 2_000,
  patch: true,
};

/**
 * A live copy of a session's state, or of a part of it. Its functions need no `this`: they can be
 * handed on, and the mirror can be spread into another store.
 */
export class Mirror {
  /** @type {Connection | SharedConnection} */ #connection;
  #ordering = new Ordering();
  #forecast = new Forecast(() => this.#tell());
  #stateListeners = new Set();
  #statusListeners = new Set();
  #subscribers = new Set();
  /**
   * Ends with the last of the actions on their way: the next one waits for it, to keep the order.
   * @type {Promise<any>}
   */
  #lastPost = Promise.resolve();
  /**
   * What was shown when listeners were called last.
   * @type {any}
   */
  #told = undefined;
  #closing = new AbortController();
  /**
   * Each gives up an action on its way.
   * @type {Set<AbortController>}
   */
  #acting = new Set();

  /**
   * @param {string} mount
   * @param {string} id
   * @param {import("./statecast.js").MirrorOptions} [options]
   */
  constructor(mount, id, options = {}) {
    this.mount = mount;
    this.id = id;
    /** @type {import("./statecast.js").MirrorOptions & typeof defaults} */
    this.options = { ...defaults, ...options };
    this.address = new SessionAddress(mount, id, this.options);
    /**
     * Of what the server said last.
     * @type {string | null}
     */
    this.token = null;
    /** @type {import("./statecast.js").Status} */
    this.status = { phase: "connecting", mode: this.options.mode, isShared: false };
    this.#connection = this.#connect();
    this.#listen();
  }

  /** What is shown: the server's state and what actions on their way are expected to do. */
  get state() {
    return this.#forecast.shown;
  }

  /** The state as the server said it last; undefined before, and while it is out of scope. */
  get confirmed() {
    return this.#forecast.confirmed;
  }

  /** How many actions are on their way, or are not in the state yet. */
  get pending() {
    return this.#forecast.count;
  }

  /** The number in the token; 0 before the first state. */
  get version() {
    return parseToken(this.token)?.version ?? 0;
  }

  /** The server's clock, for countdowns. */
  get clock() {
    return clockOf(this.address.url);
  }

  /** As Redux has it: what is shown. */
  getState = () => this.state;

  /**
   * As Redux has it: calls back after each change of what is shown, and not before.
   * @param {() => void} listener
   * @returns {() => void} Stops it.
   */
  subscribe = (listener) => added(listener, this.#subscribers);

  /**
   * A store of what a function makes of the state. What comes out equal stays the same value, and
   * calls nobody back.
   * @param {(state: any) => any} selector
   */
  select = (selector) => {
    /** @type {any} */ let state;
    /** @type {any} */ let part;
    const getState = () => {
      if (this.state !== state) {
        state = this.state;
        part = state === undefined ? undefined : reconcile(part, selector(state));
      }
      return part;
    };
    const subscribe = (/** @type {() => void} */ listener) => {
      let seen = getState();
      return this.subscribe(() => {
        if (getState() === seen) return;
        seen = getState();
        listener();
      });
    };
    return { getState, subscribe };
  };

  /**
   * Calls back with every new state, and with the present one at once; with undefined when the
   * selected part goes out of scope, or everything begins anew.
   * @param {(state: any, token: string) => void} listener
   * @returns {() => void} Stops it.
   */
  onState = (listener) => {
    if (this.state !== undefined) listener(this.state, this.#forecast.token ?? "");
    return added(listener, this.#stateListeners);
  };

  /**
   * Calls back when the connection changes, and with the present status at once.
   * @param {(status: import("./statecast.js").Status) => void} listener
   * @returns {() => void} Stops it.
   */
  onStatus = (listener) => {
    listener(this.status);
    return added(listener, this.#statusListeners);
  };

  /** @param {string} token Whether the mirror shows what the action with this answer did. */
  includes = (token) =>
    this.#forecast.waits ? reaches(this.#forecast.token, token) : this.#includes(token);

  /** @param {string} token Whether what the server has said includes the action. */
  #includes = (token) => this.#ordering.includes(token);

  /**
   * Sends an action, or an array as one atomic batch; actions of one mirror keep their order.
   * Throws `StatecastError` with the server's reason.
   * @param {any} action
   * @param {import("./statecast.js").DispatchOptions} [options]
   * @returns {Promise<import("./statecast.js").Answer>}
   */
  dispatch = async (action, options = {}) => {
    this.#closing.signal.throwIfAborted();
    const { idempotencyKey = randomKey() } = options;
    // It goes out as it is now, whatever its owner changes while it waits.
    const body = JSON.stringify(action);
    const predict = options.predict ?? this.#predictionOf(action, idempotencyKey);
    const forecast = this.#forecast;
    const ifMatch = options.ifMatch === true ? forecast.token : options.ifMatch;
    if (ifMatch === null) throw new TypeError("ifMatch: no state has come yet.");
    const prediction = forecast.add(predict, !options.settle);
    this.#tell();
    const giving = new AbortController();
    const { signal } = giving;
    this.#acting.add(giving);
    const stop = () => giving.abort(options.signal?.reason);
    options.signal?.addEventListener("abort", stop);
    if (options.signal?.aborted) stop();
    const answer = turn(this.#lastPost, signal).then(() => {
      prediction.isUnderWay = true;
      return this.address.post(body, { ...options, ifMatch, idempotencyKey, signal });
    });
    // With `settle` the answer may take long, and holds nobody up.
    if (!options.settle) {
      // What it comes to is let go of, or each would hold the one before.
      this.#lastPost = Promise.allSettled([this.#lastPost, answer]).then(() => undefined);
    }
    try {
      const { token } = await answer;
      forecast.answered(prediction, token, this.#includes);
      if (this.status.mode === "poll") this.#connection.check();
    } catch (error) {
      forecast.answered(prediction, null, this.#includes);
      throw error;
    } finally {
      options.signal?.removeEventListener("abort", stop);
      this.#acting.delete(giving);
      this.#tell();
    }
    return answer;
  };

  /**
   * Follows in another way from now on.
   * @param {import("./statecast.js").Mode} mode
   */
  setMode(mode) {
    this.#closing.signal.throwIfAborted();
    if (mode === this.options.mode && mode === this.status.mode) return;
    this.options.mode = mode;
    this.#connection.close();
    this.#connection = this.#connect();
  }

  /**
   * Begins anew, as if nothing had been seen: after signing in or out, or once a session that was
   * lost has been made again. Listeners stay; actions on their way are given up.
   * @param {import("./statecast.js").MirrorOptions} [options] What is another one from now on.
   */
  restart(options = {}) {
    this.#closing.signal.throwIfAborted();
    this.#giveUp("The mirror began anew.");
    Object.assign(this.options, options);
    this.address = new SessionAddress(this.mount, this.id, this.options);
    this.#ordering = new Ordering();
    this.#forecast = new Forecast(() => this.#tell());
    this.#lastPost = Promise.resolve();
    this.token = null;
    this.#tell();
    this.#connection = this.#connect();
  }

  /** Stops following, for ever; actions on their way are given up. */
  close() {
    this.#giveUp(closedText);
    this.#setStatus({ ...this.status, phase: "closed" });
    this.#closing.abort(new DOMException(closedText, "AbortError"));
  }

  /**
   * Shows a state of another time, until there is news; without one, the present state.
   * @param {any} [state]
   */
  preview(state) {
    if (state === undefined) this.#forecast.show(this.#includes);
    else this.#forecast.shown = state;
    this.#tell();
  }

  /** @param {string} why */
  #giveUp(why) {
    for (const each of this.#acting) each.abort(new DOMException(why, "AbortError"));
    this.#connection.close();
  }

  /**
   * @param {any} action
   * @param {string} key
   * @returns {((state: any) => any) | undefined}
   */
  #predictionOf(action, key) {
    const { predict } = this.options;
    if (!predict) return undefined;
    const actions = Array.isArray(action) ? action : [action];
    return (state) => actions.reduce((next, each) => predict(next, each, key), state);
  }

  #connect() {
    const { mode, identity } = this.options;
    const Kind = identity && mode !== "poll" && canShare() ? SharedConnection : Connection;
    return new Kind(this.address, this.options, {
      token: () => this.token,
      shown: () => this.confirmed,
      alive: () => {},
      state: (token, state) => this.#accept(token, state),
      moved: (token) => this.#moved(token),
      outOfScope: (token) => this.#accept(token, undefined),
      status: (status) => this.#setStatus(status),
    });
  }

  /**
   * A page that was hidden or without a network looks at once, not at the next ping. One that the
   * browser puts to sleep, or keeps for its back button, gives its connection up: there are only six a
   * host, and another tab has to take it over, which a sleeping one would tell that it is awake.
   */
  #listen() {
    const { signal } = this.#closing;
    const check = () => {
      if (!isHidden()) this.#connection.check();
    };
    const sleep = () => this.#connection.close();
    const wake = () => {
      sleep();
      this.#connection = this.#connect();
    };
    globalThis.document?.addEventListener("visibilitychange", check, { signal });
    globalThis.document?.addEventListener("freeze", sleep, { signal });
    globalThis.document?.addEventListener("resume", wake, { signal });
    globalThis.addEventListener?.("online", check, { signal });
    globalThis.addEventListener?.("pagehide", sleep, { signal });
    globalThis.addEventListener?.("pageshow", ({ persisted }) => {
      if (persisted) wake();
    }, { signal });
  }

  /**
   * @param {string} token
   * @param {unknown} state undefined where the selected part is out of scope.
   */
  #accept(token, state) {
    const isOutOfScope = state === undefined;
    const isNews = this.#ordering.accepts(token) || (isOutOfScope && !parseToken(token));
    // A new connection says again that there is nothing.
    if (!isNews && !(isOutOfScope && this.confirmed === undefined)) return;
    if (isNews) this.token = token.replace(/^W\/|"/g, "") || null;
    const next = reconcile(this.confirmed, state);
    const isShown = this.#forecast.confirm(next, this.#includes, this.token);
    if (isOutOfScope) this.#setStatus({ ...this.status, phase: "outOfScope" });
    else if (this.status.phase === "outOfScope") this.#setStatus({ ...this.status, phase: "live" });
    this.#tell(isShown && isNews);
  }

  /** @param {string} token */
  #moved(token) {
    if (!this.#ordering.moved(token)) return;
    this.token = token;
    this.#forecast.confirm(this.confirmed, this.#includes, token);
    this.#tell();
  }

  /** @param {import("./statecast.js").Status} status */
  #setStatus(status) {
    if (this.#closing.signal.aborted) return;
    this.status = status;
    call(this.#statusListeners, status);
  }

  /** @param {boolean} [isNews] The server has said something, be it what is shown. */
  #tell(isNews = false) {
    if (this.#closing.signal.aborted) return;
    const { state } = this;
    const isChanged = state !== this.#told;
    this.#told = state;
    if (isNews || isChanged) call(this.#stateListeners, state, this.#forecast.token ?? "");
    if (isChanged) call(this.#subscribers);
  }
}

/**
 * @param {any} listener
 * @param {Set<any>} listeners
 * @returns {() => void} Takes it out again.
 */
function added(listener, listeners) {
  const own = (/** @type {any[]} */ ...values) => listener(...values);
  listeners.add(own);
  return () => void listeners.delete(own);
}

/**
 * What a listener throws reaches neither the others nor the connection.
 * @param {Set<any>} listeners
 * @param {any[]} values
 */
function call(listeners, ...values) {
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

/**
 * Waits for those before, or rejects as soon as the signal says so.
 * @param {Promise<any>} before
 * @param {AbortSignal} signal
 */
function turn(before, signal) {
  const stopped = new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });
  return Promise.race([before, stopped]);
}
