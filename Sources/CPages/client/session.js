import { backoff, retryAfter, sleep } from "./backoff.js";

/** The server's "no", with its problem details (RFC 9457). */
export class StatecastError extends Error {
  /**
   * @param {number} status The HTTP status; 0 where there was no answer.
   * @param {Record<string, any>} problem
   */
  constructor(status, problem) {
    super(problem.detail || problem.title || `The server answered ${status}.`);
    this.name = "StatecastError";
    this.status = status;
    this.problem = problem;
    /** The last part of the problem's type, for example `empty-comment`. */
    this.code = String(problem.type ?? "").split("/").pop() || "unknown";
    /** The JSON Pointer of the fault, where there is one. */
    this.pointer = problem.pointer ?? null;
  }
}

/**
 * The error that an answer carries.
 * @param {Response} response
 */
export async function errorOf(response) {
  const problem = await response.json().catch(() => ({}));
  return new StatecastError(response.status, {
    title: response.statusText,
    status: response.status,
    ...(problem && typeof problem === "object" ? problem : {}),
  });
}

/** A random text of letters and digits, also where the page came over plain HTTP. */
export function randomKey(byteCount = 12) {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("");
}

/** Where one session is, and the requests about it. */
export class SessionAddress {
  /**
   * @param {string} mount Where the application is mounted, for example `/counter`.
   * @param {string} id
   * @param {{ select?: string, view?: import("./statecast.js").View }} [part]
   */
  constructor(mount, id, part = {}) {
    const { select, view } = part;
    this.id = id;
    const base = globalThis.location?.href;
    this.url = new URL(`${mount.replace(/\/$/, "")}/sessions/${encodeURIComponent(id)}`, base).href;
    /** @type {[string, string][]} */
    this.part = [];
    if (select) this.part.push(["select", select]);
    if (view) this.part.push(["view", view.name], ...Object.entries(view.arguments ?? {}));
  }

  /**
   * The state or the event stream, with what was selected of it.
   * @param {"state" | "events"} resource
   * @param {Record<string, string>} [parameters]
   */
  resource(resource, parameters = {}) {
    const query = new URLSearchParams([...this.part, ...Object.entries(parameters)]).toString();
    return `${this.url}/${resource}${query ? `?${query}` : ""}`;
  }

  /**
   * Makes the session, unless it is there. Throws `StatecastError`.
   * @param {AbortSignal} [signal]
   */
  async create(signal) {
    const response = await fetch(this.url, { method: "PUT", signal });
    if (!response.ok) throw await errorOf(response);
    return response.status === 201;
  }

  /**
   * Sends an action, or an array of them as one atomic batch. A lost answer and 503 are tried
   * again: the idempotency key makes sure that the action happens once.
   * @param {unknown} action
   * @param {import("./statecast.js").DispatchOptions & { recreate?: () => Promise<unknown> }} [options]
   */
  async post(action, options = {}) {
    const { ifMatch, idempotencyKey = randomKey(), settle, signal, attempts = 6 } = options;
    const headers = new Headers({
      "Content-Type": "application/json",
      "Idempotency-Key": `"${idempotencyKey}"`,
    });
    if (ifMatch) headers.set("If-Match", `"${ifMatch}"`);
    const url = `${this.url}/actions${settle ? `?settle=${settle}` : ""}`;
    const request = { method: "POST", headers, body: JSON.stringify(action), signal };
    let { recreate } = options;
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt + 1 >= attempts;
      let wait = backoff(attempt, { base: 400, limit: 6_000 });
      try {
        const response = await fetch(url, request);
        if (response.ok) return await response.json();
        const error = await errorOf(response);
        if (response.status === 404 && error.code === "session-not-found" && recreate) {
          const make = recreate;
          recreate = undefined;
          await make();
          continue;
        }
        if (isLast || ![429, 502, 503, 504].includes(response.status)) throw error;
        wait = Math.max(wait, retryAfter(response.headers.get("Retry-After")) ?? 0);
      } catch (error) {
        if (error instanceof StatecastError || signal?.aborted) throw error;
        if (isLast) {
          throw new StatecastError(0, {
            type: "/problems/unreachable",
            title: "Unreachable",
            detail: "The server cannot be reached.",
          });
        }
      }
      await sleep(wait, signal);
    }
  }
}
