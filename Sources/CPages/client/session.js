import { backoff, sleep, within } from "./backoff.js";
import { clockOf } from "./clock.js";
import { StatecastError, errorOf, noAnswer } from "./problems.js";

/** A random text of letters and digits, also where the page came over plain HTTP. */
export function randomKey(byteCount = 12) {
  const bytes = new Uint8Array(byteCount);
  if (globalThis.crypto) crypto.getRandomValues(bytes);
  else bytes.forEach((_, index) => (bytes[index] = 256 * Math.random()));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("");
}

/**
 * How requests are sent, as options say.
 * @param {import("./statecast.js").RequestOptions} options
 */
export const requestDefaults = (options) => ({ timeout: 10_000, attempts: 6, ...options });

/** @param {import("./statecast.js").RequestOptions} options */
const fieldsOf = async ({ headers }) => typeof headers === "function" ? headers() : headers;

/**
 * One request, whose answer is handed on if it is a success, and thrown as `StatecastError` if it is
 * none. Whoever reads the body does it within the time as well.
 * @template Result
 * @param {string} url
 * @param {RequestInit} request
 * @param {import("./statecast.js").RequestOptions} options
 * @param {(response: Response) => Promise<Result>} read
 * @returns {Promise<Result>}
 */
async function ask(url, request, options, read) {
  const { credentials, fetch = globalThis.fetch.bind(globalThis) } = options;
  const all = new Headers(await fieldsOf(options));
  new Headers(request.headers).forEach((value, name) => all.set(name, value));
  const sent = Date.now();
  const response = await fetch(url, { credentials, ...request, headers: all });
  clockOf(url).learn(response.headers.get("Date"), sent);
  if (!response.ok && response.status !== 304) throw await errorOf(response);
  return read(response);
}

/**
 * Sends a request until it is answered, as often as it may be: with growing pauses, and no sooner than
 * `Retry-After` says. Throws `StatecastError`, the signal's reason, or what the function of the fields
 * throws.
 * @template Result
 * @param {string} url
 * @param {RequestInit & { signal?: AbortSignal }} request
 * @param {import("./statecast.js").RequestOptions & { idempotencyKey?: string }} options With a key what
 *   may have been done by an attempt before is told as `outcome-unknown`, unless the server has looked.
 * @param {(response: Response) => Promise<Result>} read
 * @returns {Promise<Result>}
 */
export async function send(url, { signal, ...request }, options, read) {
  const { timeout, attempts } = requestDefaults(options);
  const end = Date.now() + Math.max(20_000, attempts * timeout);
  const late = () => noAnswer("timeout");
  let isInDoubt = false;
  /** @param {StatecastError} refusal */
  const told = (refusal) => {
    const { idempotencyKey } = options;
    return idempotencyKey ? Object.assign(
      isInDoubt ? refusal.inDoubt() : refusal, { idempotencyKey }) : refusal;
  };
  for (let attempt = 0;; attempt += 1) {
    const headers = await within(timeout, signal, () => fieldsOf(options), late);
    try {
      return await within(timeout, signal, (stop) =>
        ask(url, { ...request, signal: stop }, { ...options, headers }, asJSON(read)), late);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const refusal = error instanceof StatecastError ? error : noAnswer("unreachable", error);
      if (refusal.reaction !== "again" || attempt + 1 >= attempts) throw told(refusal);
      isInDoubt ||= refusal.leavesDoubt;
      const pause = Math.max(backoff(attempt, { base: 400, limit: 6_000 }), refusal.retryAfter ?? 0);
      if (Date.now() + pause > end) throw told(refusal);
      await sleep(pause, signal);
    }
  }
}

/**
 * What came is no JSON: it is refused, for sent again it would be done again.
 * @template Result
 * @param {(response: Response) => Promise<Result>} read
 * @returns {(response: Response) => Promise<Result>}
 */
const asJSON = (read) => (response) =>
  read(response).catch((cause) => {
    if (!(cause instanceof SyntaxError)) throw cause;
    const refusal = new StatecastError(response.status, { detail: "The answer is no JSON." });
    throw Object.assign(refusal, { cause });
  });

/**
 * Asks a route of the application, once, for JSON. Throws `StatecastError`.
 * @param {string} path
 * @param {import("./statecast.js").RouteOptions} options
 * @returns {Promise<any>} What the answer holds; undefined where it is empty.
 */
export function request(path, { body, method, signal, ...options } = {}) {
  const isGiven = body !== undefined;
  return send(
    new URL(path, globalThis.location?.href).href,
    {
      method: method ?? (isGiven ? "POST" : "GET"),
      cache: "no-store",
      headers: isGiven ? { "Content-Type": "application/json" } : {},
      body: isGiven ? JSON.stringify(body) : undefined,
      signal,
    },
    { attempts: 1, ...options },
    async (response) => {
      const text = await response.text();
      return text ? JSON.parse(text) : undefined;
    },
  );
}

/** @param {string} mount Without a slash at its end. */
export const sessionsOf = (mount) =>
  new URL(`${mount.replace(/\/$/, "")}/sessions`, globalThis.location?.href).href;

/** Where one session is, and the requests about it. */
export class SessionAddress {
  /**
   * @param {string} mount Where the application is mounted: `/counter`, and outside of a page
   *   `https://example.org/counter`.
   * @param {string} id
   * @param {import("./statecast.js").RequestOptions & { select?: string,
   *   view?: import("./statecast.js").View, throttle?: number }} [options]
   */
  constructor(mount, id, options = {}) {
    const { select, view, throttle } = options;
    this.id = id;
    this.options = options;
    this.url = `${sessionsOf(mount)}/${encodeURIComponent(id)}`;
    /** @type {[string, string][]} */
    this.part = [];
    if (select) this.part.push(["select", select]);
    if (view) this.part.push(["view", view.name], ...Object.entries(view.arguments ?? {}));
    /** @type {[string, string][]} */
    this.pace = throttle ? [["throttle", String(throttle)]] : [];
  }

  /**
   * The state or the event stream, with what was selected of it.
   * @param {"state" | "events"} resource
   * @param {Record<string, string>} [parameters]
   */
  resource(resource, parameters = {}) {
    const all = [...this.part, ...(resource === "events" ? this.pace : []), ...Object.entries(parameters)];
    const query = new URLSearchParams(all).toString();
    return `${this.url}/${resource}${query ? `?${query}` : ""}`;
  }

  /**
   * Asks once for news. Throws `StatecastError`, or the signal's reason.
   * @template Result
   * @param {string} url
   * @param {RequestInit} request
   * @param {(response: Response) => Promise<Result>} read
   */
  async ask(url, request, read) {
    const headers = await fieldsOf(this.options).catch((cause) => {
      const problem = { type: "/problems/no-headers", detail: String(cause?.message ?? cause) };
      throw Object.assign(new StatecastError(0, problem), { cause });
    });
    return ask(url, { cache: "no-store", ...request }, { ...this.options, headers }, read);
  }

  /**
   * Sends an action, or an array of them as one atomic batch. A lost answer and a refusal for now are
   * tried again: the idempotency key makes sure that the action happens once.
   * @param {string} action As JSON.
   * @param {import("./statecast.js").DispatchOptions} [options]
   * @returns {Promise<import("./statecast.js").Answer>}
   */
  post(action, options = {}) {
    const { ifMatch, idempotencyKey = randomKey(), settle = 0, signal, ...rest } = options;
    /** @type {Record<string, string>} */
    const headers = {
      "Content-Type": "application/json",
      "Idempotency-Key": `"${idempotencyKey}"`,
    };
    if (ifMatch) headers["If-Match"] = `"${ifMatch}"`;
    const url = `${this.url}/actions${settle ? `?settle=${settle}` : ""}`;
    const all = requestDefaults({ ...this.options, ...rest });
    return send(
      url,
      { method: "POST", headers, body: action, signal },
      { ...all, timeout: all.timeout + 1_000 * settle, idempotencyKey },
      (response) => response.json(),
    );
  }
}
