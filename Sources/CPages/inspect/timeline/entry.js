/**
 * One entry of a log or a recording, as the page shows it.
 *
 *     {"version":43,"at":1795302855123,"origin":"client","by":{"id":"rosa","roles":["act"]},
 *      "cause":41,"key":"8e03","batch":"3c","seed":"5f…",
 *      "action":{"type":"list/added","payload":"milk"},
 *      "patch":[{"op":"add","path":"/items/3","value":"milk"}]}
 */
import { brief, byteCount, clock, count, duration, size } from "./words.js";

/** @type {Record<string, string>} */
const origins = {
  client: "Client",
  effect: "Effect",
  alarm: "Alarm",
  inspector: "Inspector",
  replay: "Replay",
  server: "Server",
};
/** @type {Record<string, string>} */
const kinds = {
  replaced: "State replaced",
  migrated: "State migrated",
  reverted: "Reverted",
  cut: "Cut",
};

export class Entry {
  /** @type {number | null} */ #patchSize = null;
  /** @type {string | null} */ #short = null;

  /**
   * @param {any} raw What the server wrote.
   * @param {number} [start] The time that `at` counts from, in milliseconds since 1970.
   */
  constructor(raw, start = 0) {
    this.raw = raw;
    /** @type {number} */ this.version = raw.version;
    /** Since 1970, in milliseconds. */
    this.time = start + (Number(raw.at) || 0);
    /** @type {number | null} */ this.cause = raw.cause ?? null;
    /** @type {import("/client/statecast.js").PatchOperation[] | null} */
    this.patch = raw.patch ?? null;
    /** @type {string} */ this.origin = raw.origin ?? "client";
    /** Who sent it, or what part of the server. */
    this.who = raw.by?.id || (origins[this.origin] ?? this.origin);
    /** The action's type, or what happened in place of one. */
    this.type = raw.action?.type ?? kinds[raw.kind] ?? (raw.action === null ? "Left out" : "Entry");
    this.isAction = Boolean(raw.action);
    /** Why it was refused when it was reduced again. @type {{ code: string, detail?: string } | null} */
    this.rejection = raw.rejection ?? null;
  }

  /** The beginning of the payload. */
  get payload() {
    if (this.#short === null) {
      const payload = this.raw.action?.payload;
      this.#short = payload === undefined ? "" : brief(payload);
    }
    return this.#short;
  }

  /** The bytes of the patch; 0 where there is none. */
  get patchSize() {
    this.#patchSize ??= this.patch ? byteCount(this.patch) : 0;
    return this.#patchSize;
  }

  /** The versions of the batch that it is the last of, itself included; 1 where it is of none. */
  get batchLength() {
    const record = String(this.raw.batch ?? "");
    if (/^=\d+$/.test(record)) return Number(record.slice(1));
    let length = 0;
    for (const [, run, letter, each] of record.matchAll(/(\d*)([cudl])(?:\*(\d+))?/g)) {
      if (letter === "c" || letter === "u") length += Number(run || 1) * Number(each || 1);
    }
    return Math.max(1, length);
  }

  /**
   * All of these words are in it: in its type, its action, its patch, in who sent it.
   * @param {string[]} words In lower case.
   */
  holds(words) {
    if (words.length === 0) return true;
    const { action, key, patch, rejection } = this.raw;
    const parts = [action?.payload, patch, rejection].map((part) => JSON.stringify(part));
    const text = [this.version, this.who, this.type, key, ...parts].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  }

  /**
   * The entry in a sentence, for those who hear the page.
   * @param {number | null} gap Since the entry before, in milliseconds.
   */
  spoken(gap) {
    return [
      `Version ${this.version}`,
      clock(this.time),
      gap === null ? null : `${duration(gap)} after the one before`,
      this.who,
      this.type,
      this.payload,
      this.rejection ? `refused: ${this.rejection.code}` : null,
      this.cause === null ? null : `caused by version ${this.cause}`,
      this.patch
        ? `patch of ${count(this.patch.length, "operation")}, ${size(this.patchSize)}`
        : "no patch",
    ].filter(Boolean).join(", ");
  }
}
