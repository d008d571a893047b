/**
 * The three ways in which a session can be followed. Each is a function of a session's address
 * and of what it reports to; it follows until `close`, or until it reports that it came to an end,
 * which it does once.
 *
 * @typedef {object} Reports
 * @property {() => string | null} token The token of what was shown last.
 * @property {() => unknown} shown What was shown last; undefined where nothing is.
 * @property {(token: string, state: unknown) => void} state
 * @property {(token: string) => void} outOfScope The selected part has left the state.
 * @property {() => void} alive The server was heard of.
 * @property {(why: Ending) => void} ended The transport stopped.
 *
 * @typedef {"lost" | "silent" | "busy" | "over" | "missing" | "unauthorized" | "gap"} Ending
 *   `gap`: what came does not fit what is shown; only a snapshot helps.
 *
 * @typedef {object} Transport
 * @property {() => void} close
 * @property {() => void} check Asks whether the connection still lives, soon.
 */
import { errorOf } from "./session.js";
import { sleep } from "./backoff.js";
import { applyPatch } from "./patch.js";
import { parseToken } from "./token.js";

/** The server pings every 15 s; after this much silence a stream counts as half-open. */
export const silenceLimit = 40_000;
/** A stream that should begin with a state and does not, is held back by somebody. */
const firstEventLimit = 10_000;

/**
 * Server-sent events. The browser's own reconnecting is not used: it gives up for ever on some
 * answers, and does not notice half-open connections.
 *
 * With `patch` the server sends a snapshot and then what changed (RFC 6902); a server that does not
 * know patches sends states.
 * @param {import("./session.js").SessionAddress} address
 * @param {Reports} reports
 * @param {{ patch?: boolean }} [options]
 * @returns {Transport}
 */
export function stream(address, reports, { patch = false } = {}) {
  const last = patch && reports.shown() === undefined ? null : reports.token();
  /** @type {Record<string, string>} */
  const parameters = patch ? { patch: "json-patch" } : {};
  if (last) parameters.last_event_id = last;
  const events = new EventSource(address.resource("events", parameters));
  let watchdog = 0;
  let heardAt = Date.now();
  let isOpen = true;

  const close = () => {
    isOpen = false;
    clearTimeout(watchdog);
    events.close();
  };
  /** @param {Ending} why */
  const end = (why) => {
    if (!isOpen) return;
    close();
    reports.ended(why);
  };
  /** @param {number} limit */
  const watch = (limit) => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => end("silent"), limit);
  };
  const heard = () => {
    if (!isOpen) return;
    heardAt = Date.now();
    watch(silenceLimit);
    reports.alive();
  };

  watch(last ? silenceLimit : firstEventLimit);
  events.onopen = () => {
    if (last) heard();
  };
  events.onmessage = (event) => {
    heard();
    reports.state(event.lastEventId, JSON.parse(event.data));
  };
  /** @param {(content: any, id: string) => unknown} stateOf */
  const showing = (stateOf) => (/** @type {MessageEvent} */ { data, lastEventId }) => {
    if (!isOpen) return;
    heard();
    let state;
    try {
      state = stateOf(JSON.parse(data), lastEventId);
    } catch {
      return end("gap");
    }
    reports.state(lastEventId, state);
  };
  if (patch) {
    events.addEventListener("snapshot", showing(({ state }) => state));
    events.addEventListener("patch", showing((content, id) => patched(reports, id, content)));
  }
  events.addEventListener("ping", heard);
  events.addEventListener("out-of-scope", (event) => {
    heard();
    reports.outOfScope(event.lastEventId);
  });
  events.addEventListener("busy", () => end("busy"));
  events.addEventListener("end", () => end("lost"));
  events.addEventListener("unauthorized", () => end("unauthorized"));
  events.onerror = () => end("lost");
  return {
    close,
    check: () => {
      if (Date.now() - heardAt > silenceLimit / 2) end("lost");
    },
  };
}

/**
 * What is shown, with a patch applied. It fits every version from `from` to the one before `version`:
 * since `from` nothing had changed in what is shown. Throws where it does not fit.
 * @param {Reports} reports
 * @param {string} id The event's, a token.
 * @param {{ from: number, version: number, ops: import("./statecast.js").PatchOperation[] }} patch
 */
function patched(reports, id, { from, version, ops }) {
  const [shown, next] = [parseToken(reports.token()), parseToken(id)];
  const state = reports.shown();
  const isNext = state !== undefined && shown !== null && shown.epoch === next?.epoch
    && shown.suffix === next.suffix && from <= shown.version && shown.version < version;
  if (!isNext) throw new RangeError(`The patch from ${from} does not fit ${reports.token()}.`);
  return applyPatch(state, ops);
}

/**
 * A request that the server holds until there is news, over and over.
 * @param {import("./session.js").SessionAddress} address
 * @param {Reports} reports
 * @returns {Transport}
 */
export function longPoll(address, reports) {
  return loop(address, reports, { wait: 25, interval: 0 });
}

/**
 * A conditional request at intervals.
 * @param {import("./session.js").SessionAddress} address
 * @param {Reports} reports
 * @param {{ interval: number }} options In milliseconds.
 * @returns {Transport}
 */
export function poll(address, reports, { interval }) {
  return loop(address, reports, { wait: 0, interval });
}

/**
 * @param {import("./session.js").SessionAddress} address
 * @param {Reports} reports
 * @param {{ wait: number, interval: number }} times In seconds; in milliseconds.
 * @returns {Transport}
 */
function loop(address, reports, { wait, interval }) {
  const closing = new AbortController();
  let pausing = new AbortController();
  let isOpen = true;

  const close = () => {
    isOpen = false;
    closing.abort();
    pausing.abort();
  };
  /** @param {Ending} why */
  const end = (why) => {
    if (!isOpen) return;
    close();
    reports.ended(why);
  };
  const run = async () => {
    /** @type {string | null} */ let tag = null;
    while (isOpen) {
      const signal = AbortSignal.any?.([closing.signal, AbortSignal.timeout(wait * 1000 + 15_000)])
        ?? closing.signal;
      /** @type {Response} */
      const response = await fetch(
        address.resource("state", wait && tag ? { wait: String(wait) } : {}),
        { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {}, signal },
      );
      let pause = interval;
      if (response.ok) {
        tag = response.headers.get("ETag");
        const state = await response.json();
        if (!isOpen) return;
        reports.alive();
        reports.state(tag ?? "", state);
      } else if (response.status === 304) {
        reports.alive();
      } else {
        const error = await errorOf(response);
        if (error.code !== "out-of-scope") return end(endings[response.status] ?? "lost");
        tag = null;
        pause = Math.max(interval, 1_000);
        reports.alive();
        reports.outOfScope(response.headers.get("ETag") ?? "");
      }
      pausing = new AbortController();
      if (pause) await sleep(pause, pausing.signal).catch(() => {});
    }
  };
  run().catch(() => end("lost"));
  return { close, check: () => pausing.abort() };
}

/** @type {Record<number, Ending>} */
const endings = {
  401: "unauthorized",
  403: "unauthorized",
  404: "missing",
  410: "over",
  503: "busy",
};
