import { Entry } from "./entry.js";

/** So many entries of a session are kept in the page, a tenth more than a journal keeps at most. */
const pageLimit = 110_000;
/** And as many bytes of their JSON, about. */
const byteLimit = 96 * 1024 * 1024;

/** Entries in the order of their versions, without a gap, and what they say of each other. */
export class EntryList {
  /** @type {Entry[]} */ entries = [];
  /** The versions that an entry caused, by its version. @type {Map<number, number[]>} */
  #caused = new Map();
  /** Where the batches are: the first version of the batch that a version belongs to. */
  #batches = new Map();
  /** Entries in front of the first one, which a search has found. @type {Map<number, Entry>} */
  #apart = new Map();
  /** Of the entries' JSON, about. */
  #byteCount = 0;

  /**
   * @param {number} start The time that `at` of entries counts from.
   * @param {number} limit Beyond so many the oldest go, some at a time.
   */
  constructor(start = 0, limit = pageLimit) {
    this.start = start;
    this.limit = limit;
  }

  get isFull() {
    return this.entries.length >= this.limit || this.#byteCount >= byteLimit;
  }

  get first() {
    return this.entries[0]?.version ?? null;
  }

  get last() {
    return this.entries.at(-1)?.version ?? null;
  }

  /**
   * Adds entries behind the last one, and drops the oldest ones that are too many.
   * @param {any[]} raws
   * @param {number} [byteCount] Of their JSON.
   */
  append(raws, byteCount = 0) {
    for (const raw of raws) this.entries.push(this.#read(raw));
    this.#byteCount += byteCount;
    const { length } = this.entries;
    const excess = Math.max(0, length - this.limit);
    if (excess === 0 && this.#byteCount <= byteLimit) return;
    const gone = this.entries.splice(0, excess + Math.ceil(Math.min(this.limit, length) / 20));
    this.#byteCount *= 1 - gone.length / length;
    for (const { version } of gone) {
      this.#caused.delete(version);
      this.#batches.delete(version);
    }
  }

  /**
   * Adds entries in front of the first one.
   * @param {any[]} raws
   * @param {number} [byteCount] Of their JSON.
   */
  prepend(raws, byteCount = 0) {
    this.#byteCount += byteCount;
    this.entries = [...raws.map((raw) => this.#read(raw)), ...this.entries];
  }

  /** @param {Entry} entry One that stands in front of the first, and for itself. */
  keepApart(entry) {
    this.#apart.set(entry.version, entry);
  }

  /** Forgets those. */
  forgetApart() {
    this.#apart.clear();
  }

  /** @param {any} raw */
  #read(raw) {
    const entry = new Entry(raw, this.start);
    if (entry.cause !== null) {
      const caused = this.#caused.get(entry.cause);
      if (!caused) this.#caused.set(entry.cause, [entry.version]);
      else if (!caused.includes(entry.version)) caused.push(entry.version);
    }
    const length = entry.batchLength;
    if (length > 1) {
      const batch = { first: entry.version - length + 1, last: entry.version };
      for (let version = batch.first; version <= batch.last; version += 1) {
        this.#batches.set(version, batch);
      }
    }
    return entry;
  }

  /**
   * @param {number} version
   * @returns {Entry | null}
   */
  at(version) {
    return this.entries[version - (this.first ?? 0)] ?? this.#apart.get(version) ?? null;
  }

  /**
   * Between an entry and the one before it, in milliseconds; null for the first.
   * @param {Entry} entry
   */
  gapBefore(entry) {
    const before = this.at(entry.version - 1);
    return before ? entry.time - before.time : null;
  }

  /**
   * The versions that an entry caused.
   * @param {number} version
   * @returns {number[]}
   */
  causedBy(version) {
    return this.#caused.get(version) ?? [];
  }

  /**
   * The batch that a version belongs to, of two entries or more.
   * @param {number} version
   * @returns {{ first: number, last: number } | null}
   */
  batchOf(version) {
    return this.#batches.get(version) ?? null;
  }
}
