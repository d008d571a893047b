/**
 * The server's "no" (RFC 9457), and what can be done about each: `again`, the same request is sent
 * again, with the same key; `ask`, a person or the page decides, who signs in or looks at what is there
 * now; `giveUp`, the request as it is will never be accepted.
 *
 * @typedef {"again" | "ask" | "giveUp"} Reaction
 */
import { retryAfter } from "./backoff.js";

/** The codes of the article "Problems" by what they ask for; a test compares the two. */
const codes = {
  again: `busy file-unavailable journal-busy journal-unavailable moved outcome-unknown
    request-timeout route-timeout short-of-memory shutting-down state-at-limit too-many-calls
    too-many-effects too-many-endings too-many-keys too-many-queued too-many-recordings
    too-many-routes-running too-many-sessions too-many-waiting too-often try-again
    version-not-reached`,
  ask: `chain-cut forbidden out-of-scope precondition-failed rejected session-not-found
    unauthenticated`,
  giveUp: `bad-body bad-parameter bad-payload bad-recording bad-session-id batch-too-large
    body-too-large content-range cross-origin fact-not-allowed foreign-recording frozen
    head-too-large idempotency-key-reused json-expected late-signature malformed-content-coding
    malformed-json malformed-path malformed-request media-type-not-accepted method-not-allowed
    method-not-implemented nested-too-deep no-input no-replay not-an-action not-encodable not-found
    replay route-failed session-ended session-exists state-too-large target-too-long
    too-many-fields transfer-coding-not-supported unknown-action unknown-expectation unknown-host
    unreadable unsigned unsupported-content-coding version-gone version-not-shown
    version-not-supported wrong-signature`,
};

/** @type {Map<string, Reaction>} */
const byCode = new Map(
  Object.entries(codes).flatMap(([reaction, list]) =>
    list.split(/\s+/).map((code) => [code, /** @type {Reaction} */ (reaction)])
  ),
);

/**
 * Of what others answer: a route of the application by a code of its own, a proxy.
 * @type {Record<number, Reaction>}
 */
const byStatus = {
  0: "again", 401: "ask", 403: "ask", 408: "again", 409: "ask", 412: "ask", 425: "again",
  429: "again", 502: "again", 503: "again", 504: "again",
};

/** The server's "no", or that there was no answer. */
export class StatecastError extends Error {
  /**
   * @param {number} status The HTTP status; 0 where there was no answer.
   * @param {Record<string, any>} problem The members of the problem.
   * @param {{ retryAfter?: number | null, token?: string | null }} fields Of the answer.
   */
  constructor(status, problem, { retryAfter = null, token = null } = {}) {
    super(problem.detail || problem.title || `The server answered ${status}.`);
    this.name = "StatecastError";
    this.status = status;
    this.problem = problem;
    /** How long to wait before the next try, in milliseconds, where the server says so. */
    this.retryAfter = retryAfter;
    /** Where the session is, for example after 412. */
    this.token = token;
    const [, kind = "", own] = /^(?:.*\/)?problems\/([^/]+)(?:\/(.+))?$/.exec(problem.type) ?? [];
    /** The last part of the problem's type, for example `empty-comment`. */
    this.code = own || kind || String(problem.type ?? "").split("/").pop() || "unknown";
    /** The JSON Pointer of the fault in what was sent, where there is one. */
    this.pointer = problem.pointer ?? null;
    /**
     * Each fault, with its `pointer`, `code` and `detail`.
     * @type {any[]}
     */
    this.errors = Array.isArray(problem.errors) ? problem.errors : [];
    /** @type {Reaction} */
    this.reaction = byCode.get(kind) ?? byStatus[status] ?? "giveUp";
    /**
     * The key of the action: sent again with it, that happens once.
     * @type {string | null}
     */
    this.idempotencyKey = null;
    /** The server has looked for the key, and has kept nothing under it. */
    this.speaksOfKey = kind === "rejected" || kind === "idempotency-key-reused";
  }

  /** What was sent may have been done all the same. */
  get leavesDoubt() {
    return ["unreachable", "timeout", "outcome-unknown"].includes(this.code)
      || !byCode.has(this.code) && !this.speaksOfKey;
  }

  /** The same, behind an attempt that may have been kept. */
  inDoubt() {
    if (this.speaksOfKey || this.leavesDoubt) return this;
    const detail = `It is not known whether this was done. ${this.message}`;
    const problem = { ...this.problem, type: "/problems/outcome-unknown", detail };
    return Object.assign(new StatecastError(this.status, problem, this), { cause: this });
  }

  /**
   * What is wrong with a part of what was sent, in a sentence; null where nothing is.
   * @param {string} pointer Of the part, `/payload/email`.
   * @returns {string | null}
   */
  fault(pointer) {
    const own = this.errors.filter((error) => error?.pointer === pointer);
    if (own.length > 0) return own.map(({ detail }) => detail).join(" ");
    return this.errors.length === 0 && this.pointer === pointer ? this.message : null;
  }
}

/**
 * The error that an answer tells of, one of a route of the application for instance.
 * @param {Response} response
 */
export async function errorOf(response) {
  const problem = await response.json().catch(() => null);
  return new StatecastError(response.status, {
    title: response.statusText,
    status: response.status,
    ...(problem && typeof problem === "object" ? problem : {}),
  }, {
    retryAfter: retryAfter(response.headers.get("Retry-After")),
    token: response.headers.get("ETag")?.replace(/^W\/|"/g, "") ?? null,
  });
}

/**
 * The error where there was no answer.
 * @param {"unreachable" | "timeout"} code
 * @param {unknown} [cause]
 */
export const noAnswer = (code, cause) =>
  Object.assign(new StatecastError(0, {
    type: `/problems/${code}`,
    title: code === "timeout" ? "No answer" : "Unreachable",
    detail: code === "timeout"
      ? "The server did not answer in time."
      : "The server cannot be reached.",
  }), { cause });
