import { sleep } from "./backoff.js";
import { clockOf } from "./clock.js";
import { Connection } from "./connection.js";
import { Forecast } from "./forecast.js";
import { added, call } from "./listeners.js";
import { reconcile } from "./patch.js";
import { ActionQueue } from "./queue.js";
import { SessionAddress, randomKey } from "./session.js";
import { SharedConnection, canShare, isHidden } from "./sharing.js";
import { Ordering, parseToken } from "./token.js";

/** How long a mirror that is live waits for the first state of an epoch, in milliseconds. */
const epochPatience = 15_000;
const closedText = "The mirror was closed.";

const defaults = {
  mode: /** @type {import("./statecast.js").Mode} */ ("stream"),
  interval: 2_000,
  patch: true,
  queueLimit: 1_000,
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
  /** @type {ActionQueue} */ #queue;
  /**
   * What was shown when listeners were called last.
   * @type {any}
   */
  #told = undefined;
  #closing = new AbortController();
  /**
   * The token of the last action that was answered.
   * @type {string | null}
   */
  #answered = null;
  /** Whether `openSession` has made the session: nobody had, or the server had lost it. */
  isNew = false;

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
    this.#queue = new ActionQueue(this.options.queueLimit);
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

  /** How many actions are on their way, or have changed the state and are not in it yet. */
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
    this.#ordering.includes(token, this.#forecast.waits ? this.#forecast.token : undefined);

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
    const { idempotencyKey = randomKey(), settle = 0 } = options;
    // It goes out as it is now, whatever its owner changes while it waits.
    const body = JSON.stringify(action);
    const predict = options.predict ?? this.#predictionOf(action, idempotencyKey);
    const forecast = this.#forecast;
    const ifMatch = options.ifMatch === true ? forecast.token : options.ifMatch;
    if (ifMatch === null) throw new TypeError("ifMatch: no state has come yet.");
    return this.#queue.run(options.signal, async (signal, inTurn) => {
      const prediction = forecast.add(predict);
      const post = (/** @type {import("./statecast.js").DispatchOptions} */ about) =>
        this.address.post(body, { ...options, idempotencyKey, signal, ...about });
      const end = (/** @type {string | null} */ token, /** @type {boolean} */ isVoid) => {
        this.#await(token).catch(() => {});
        forecast.answered(prediction, token, this.#includes, isVoid);
        this.#tell();
      };
      const answered = inTurn(() => {
        prediction.isUnderWay = true;
        return post({ ifMatch, settle: 0 });
      }).catch((error) => {
        end(error?.token ?? null, true);
        throw error;
      });
      // It has its turn by now: what a listener does stands behind it.
      this.#tell();
      const answer = await answered;
      this.#answered = answer.token;
      if (this.status.mode === "poll") this.#connection.check();
      end(answer.token, !answer.changed);
      if (!settle) return answer;
      const last = await settled(answer, () => post({ ifMatch: undefined }), signal);
      this.#answered = last.token;
      return last;
    });
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
    this.#queue = new ActionQueue(this.options.queueLimit);
    this.token = null;
    this.#answered = null;
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
    this.#queue.giveUp(why);
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

  /**
   * An answer that was late may be of an epoch that is over and was never shown.
   * @param {string | null} token Of an answer.
   */
  async #await(token) {
    const ordering = this.#ordering;
    const epoch = ordering.answered(token);
    if (!epoch) return;
    do await sleep(epochPatience, this.#closing.signal);
    while (["connecting", "reconnecting"].includes(this.status.phase));
    ordering.pass(epoch);
    this.#forecast.show(this.#includes);
    this.#tell();
  }

  #connect() {
    const { mode, identity } = this.options;
    const Kind = identity && mode !== "poll" && canShare() ? SharedConnection : Connection;
    return new Kind(this.address, this.options, {
      token: () => this.token,
      answered: () => this.#answered,
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
 * Waits for the effects of an action that has its answer, by a repeat of it: so those behind it go out
 * meanwhile, and keep their order. One that left no entry has no effects, and would be done anew.
 * @param {import("./statecast.js").Answer} answer
 * @param {() => Promise<import("./statecast.js").Answer>} repeat
 * @param {AbortSignal} signal
 */
async function settled(answer, repeat, signal) {
  const isKept = (answer.results ?? [answer]).some(({ dropped, delayed }) => !dropped && !delayed);
  if (!isKept) return { ...answer, settled: true };
  return repeat().catch((error) => {
    if (signal.aborted) throw error;
    return { ...answer, settled: false };
  });
}
