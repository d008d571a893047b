/**
 * The three ways in which a session can be followed. Each is a function of a session's address
 * and of what it reports to; it follows until `close`, or until it reports that it came to an end,
 * which it does once.
 *
 * @typedef {object} Reports
 * @property {() => string | null} token The token of what was shown last.
 * @property {() => string | null} answered The token of the last own action that was answered.
 * @property {() => unknown} shown What was shown last; undefined where nothing is.
 * @property {(token: string, state: unknown) => void} state
 * @property {(token: string) => void} moved The version has moved, and what is shown has not.
 * @property {(token: string) => void} outOfScope The selected part has left the state.
 * @property {() => void} alive The server was heard of.
 * @property {(why: Ending, refusal?: StatecastError, least?: number) => void} ended The transport
 *   stopped; `least`: the pause that the server asked for, in milliseconds.
 *
 * @typedef {"lost" | "silent" | "refused" | "busy" | "unauthorized" | "gap"} Ending
 *   `refused`: by the error that is told; `gap`: what came does not fit what is shown, and only a
 *   snapshot helps.
 *
 * @typedef {object} Transport
 * @property {() => void} close
 * @property {() => void} check Asks whether the connection still lives, soon.
 */
import { sleep, within } from "./backoff.js";
import { EventReader, Gap } from "./events.js";
import { applyPatch } from "./patch.js";
import { StatecastError, noAnswer } from "./problems.js";
import { parseToken } from "./token.js";

/** The server pings every 15 s; after this much silence a stream counts as half-open. */
export const silenceLimit = 40_000;
/** A stream whose first bytes do not come at once is held back by somebody. */
const firstBytesLimit = 10_000;

/**
 * Server-sent events, read by `fetch`: an `EventSource` has no fields of its own, gives up for ever
 * without telling why, does not notice half-open connections, and is not in Node.
 *
 * With `patch` the server sends a snapshot and then what changed (RFC 6902); a server that does not
 * know patches sends states.
 * @param {import("./session.js").SessionAddress} address
 * @param {Reports} reports
 * @param {{ patch?: boolean }} options
 * @returns {Transport}
 */
export function stream(address, reports, { patch = false } = {}) {
  const last = patch && reports.shown() === undefined ? null : reports.token();
  /** @type {Record<string, string>} */
  const parameters = patch ? { patch: "json-patch" } : {};
  if (last) parameters.last_event_id = last;
  let heardAt = Date.now();
  /** @type {any} */ let watchdog;

  const transport = begin(reports, async (signal, end) => {
    const watch = (/** @type {number} */ limit) => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => end("silent"), limit);
    };
    signal.addEventListener("abort", () => clearTimeout(watchdog));
    watch(firstBytesLimit);
    const request = { headers: { Accept: "text/event-stream" }, signal };
    await address.ask(address.resource("events", parameters), request, async ({ body }) => {
      const [source, decoder, events] = [body?.getReader(), new TextDecoder(), new EventReader()];
      for (;;) {
        const { value, done } = await source?.read() ?? { value: undefined, done: true };
        if (done || signal.aborted) return;
        heardAt = Date.now();
        watch(silenceLimit);
        for (const event of events.read(decoder.decode(value, { stream: true }))) {
          if (signal.aborted) return;
          if (event.type === "busy") return end("busy", undefined, events.retry);
          hear(event, reports, end);
        }
      }
    });
  });
  const check = () => {
    if (Date.now() - heardAt > silenceLimit / 2) transport.end("lost");
  };
  return { close: transport.close, check };
}

/**
 * @param {import("./events.js").ServerEvent} event
 * @param {Reports} reports
 * @param {Reports["ended"]} end
 */
function hear({ type, id, data }, reports, end) {
  if (type === "unauthorized") return end(type);
  if (type === "end") return end("lost");
  reports.alive();
  switch (type) {
    case "message":
      return data ? reports.state(id, JSON.parse(data)) : reports.moved(id);
    case "snapshot":
      return reports.state(id, JSON.parse(data).state);
    case "patch":
      return reports.state(id, patched(reports, id, data));
    case "out-of-scope":
      return reports.outOfScope(id);
  }
}

/**
 * What is shown, with a patch applied. It fits every version from `from` to the one before `version`:
 * since `from` nothing had changed in what is shown. Throws where it does not fit.
 * @param {Reports} reports
 * @param {string} id The event's, a token.
 * @param {string} data
 */
function patched(reports, id, data) {
  try {
    const { from, version, ops } = JSON.parse(data);
    const [shown, next] = [parseToken(reports.token()), parseToken(id)];
    const state = reports.shown();
    const isNext = state !== undefined && shown !== null && shown.epoch === next?.epoch
      && shown.suffix === next.suffix && from <= shown.version && shown.version < version;
    if (!isNext) throw new RangeError(`The patch from ${from} does not fit ${reports.token()}.`);
    return applyPatch(state, ops);
  } catch (error) {
    throw new Gap(String(error));
  }
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
  let pausing = new AbortController();
  /** @type {string | null} */ let tag = null;
  const { close } = begin(reports, async (signal) => {
    signal.addEventListener("abort", () => pausing.abort());
    while (!signal.aborted) {
      /** @type {Record<string, string>} */
      const parameters = wait && tag ? { wait: String(wait) } : {};
      /** @type {Record<string, string>} */
      const headers = tag ? { "If-None-Match": tag } : {};
      const url = address.resource("state", parameters);
      const late = () => noAnswer("timeout");
      const asked = performance.now();
      const answered = reports.answered();
      const pause = await within(wait * 1_000 + 15_000, signal, (stop) =>
        address.ask(url, { headers, signal: stop }, async (response) => {
          const state = response.ok ? await response.json() : undefined;
          if (signal.aborted) return 0;
          reports.alive();
          const before = tag;
          if (response.ok) reports.state(tag = response.headers.get("ETag") ?? "", state);
          // A tag tells of the last change that is seen; what was answered before lies behind it.
          const suffix = parseToken(tag)?.suffix;
          if (answered) reports.moved(suffix ? `${answered}.${suffix}` : answered);
          // Where nobody has waited, for a proxy has answered for instance.
          return interval || (tag && tag !== before ? 0 : Math.max(0, 1_000 - (performance.now() - asked)));
        }), late).catch((error) => {
        if (error?.code !== "out-of-scope") throw error;
        tag = null;
        reports.alive();
        reports.outOfScope(error.token ?? "");
        return Math.max(interval, 1_000);
      });
      pausing = new AbortController();
      if (pause) await sleep(pause, pausing.signal).catch(() => {});
    }
  });
  return { close, check: () => pausing.abort() };
}

/**
 * Runs a transport until it is closed, ends by itself, or is refused.
 * @param {Reports} reports
 * @param {(signal: AbortSignal, end: Reports["ended"]) => Promise<void>} follow
 */
function begin(reports, follow) {
  const closing = new AbortController();
  const { signal } = closing;
  /** @type {Reports["ended"]} */
  const end = (...ending) => {
    if (signal.aborted) return;
    closing.abort();
    reports.ended(...ending);
  };
  follow(signal, end).then(
    () => end("lost"),
    (error) => {
      if (error instanceof Gap || error instanceof SyntaxError) end("gap");
      else if (error instanceof StatecastError && (error.status > 0 || error.code === "no-headers")) {
        end("refused", error);
      }
      else end("lost");
    },
  );
  return { close: () => closing.abort(), end };
}
