/**
 * The log of a session on the server: the newest page first, the older ones after it, and what
 * happens from then on.
 */
import { Mirror, StatecastError, errorOf, parseToken } from "/client/statecast.js";
import { SessionAddress } from "/client/session.js";
import { EntryList } from "./entry-list.js";

/** Shown at once; the others come in larger pages. */
const firstPage = 300;
const pageLimit = 1_000;
/** Between two requests for news, in milliseconds. */
const breath = 150;
/** An entry that changes nothing is in no stream: the log is asked now and then. */
const interval = 4_000;
const statesKept = 48;

/** The log of a session, which follows it until it is closed. */
export class SessionLog {
  kind = /** @type {const} */ ("session");
  list = new EntryList();
  /** The version of the oldest state that is kept. */
  baseVersion = 0;
  epoch = "";
  /** The session plays a recording. */
  isReplay = false;
  /** All that is kept is in the list, or as much as has room. */
  isComplete = false;
  /** Called when entries came: `append` or `prepend` with their number, or `reset`. */
  /** @type {(kind: "append" | "prepend" | "reset", count: number) => void} */
  onChange = () => {};
  /** Called when the log cannot be read any more. */
  onError = (/** @type {any} */ _error) => {};
  /** @type {Mirror | null} */ mirror = null;
  /** The states that were read last. @type {Map<string, Promise<any>>} */
  #states = new Map();
  #closing = new AbortController();
  /** The version behind which the next news stand. */
  #after = 0;
  #isReading = false;
  /** The server says no: nothing is asked for of itself any more. */
  #isOver = false;
  #hasNews = false;
  #timer = 0;

  /** @param {import("./place.js").Place} place */
  constructor(place) {
    this.place = place;
    this.address = new SessionAddress(place.mount, place.id);
  }

  /** Where the application is mounted. */
  get mount() {
    return this.place.mount;
  }

  /** Reads the newest page, and begins to follow. Throws `StatecastError`. */
  async open() {
    await this.#begin();
    this.mirror = new Mirror(this.place.mount, this.place.id, { patch: true });
    this.mirror.onState(() => this.#read());
    this.#timer = setInterval(() => this.#read(), interval);
    this.#readOlder().catch(() => {});
  }

  close() {
    this.#closing.abort();
    this.mirror?.close();
    clearInterval(this.#timer);
  }

  /**
   * The state at a version, as the server shows it to this viewer, and the version that it is of:
   * inside of a batch, the one before that. Throws `StatecastError`.
   * @param {number} version
   */
  async stateAt(version) {
    const token = `${this.epoch}-${version}`;
    const known = this.#states.get(token);
    if (known) return known;
    const answer = this.#fetchState(token);
    this.#states.set(token, answer);
    answer.catch(() => this.#states.delete(token));
    for (const old of this.#states.keys()) {
      if (this.#states.size > statesKept) this.#states.delete(old);
    }
    return answer;
  }

  /**
   * The timeline as a file: its last part, or where that has not the entry of a version, the one that
   * begins right before it. Throws `StatecastError`.
   * @param {number} [version]
   */
  async readRecording(version = Infinity) {
    const last = await (await this.#get("/recording")).text();
    if (JSON.parse(last.slice(0, last.indexOf("\n") + 1 || undefined)).version < version) return last;
    return (await this.#get(`/recording?from=${this.epoch}-${version - 1}`)).text();
  }

  /** All of the timeline that is kept, part by part. Throws `StatecastError`. */
  async *parts() {
    let query = `?from=0&through=${this.mirror?.version ?? this.#after}`;
    while (query) {
      const response = await this.#get(`/recording${query}`);
      yield await response.text();
      query = /\?[^>]*/.exec(response.headers.get("Link") ?? "")?.[0] ?? "";
    }
  }

  /**
   * An entry as the server writes it. Throws `StatecastError`.
   * @param {number} version
   */
  async textOf(version) {
    const text = await (await this.#get(`/log?after=${this.epoch}-${version - 1}&limit=1`)).text();
    return text.trim().slice(1, -1);
  }

  /** @param {string} token */
  async #fetchState(token) {
    const response = await this.#get(`/state?version=${token}`);
    const shown = parseToken(response.headers.get("ETag"));
    return { state: await response.json(), version: shown?.version ?? 0 };
  }

  async #begin() {
    const [description, [oldest]] = await Promise.all(
      ["", "/log?limit=1"].map(async (path) => (await this.#get(path)).json()),
    );
    const roles = description.you?.roles;
    if (Array.isArray(roles) && !roles.includes("inspect")) throw refusal(roles);
    this.epoch = parseToken(description.token)?.epoch ?? "";
    this.isReplay = description.replay !== undefined;
    this.baseVersion = oldest ? oldest.version - 1 : description.version;
    this.list = new EntryList();
    this.#states.clear();
    const after = Math.max(this.baseVersion, description.version - firstPage);
    const { raws, byteCount } = await this.#page(after, pageLimit);
    this.list.append(raws, byteCount);
    this.isComplete = after === this.baseVersion;
    this.#after = this.list.last ?? after;
  }

  /** Reads older entries as far as they have room, again where the server was out of reach. */
  async #readOlder() {
    const { list } = this;
    const { signal } = this.#closing;
    while (!signal.aborted && this.list === list && !this.isComplete) {
      try {
        await this.#readOlderPages(list, signal);
      } catch (error) {
        if (signal.aborted || this.list !== list) return;
        if (isPassing(error)) await new Promise((resolve) => setTimeout(resolve, interval));
        else if (isOfBefore(error)) return this.#read();
        else this.#end(error);
      }
    }
  }

  /**
   * The server will say no again: what is here is all there is.
   * @param {any} error
   */
  #end(error) {
    this.#isOver = true;
    this.isComplete = true;
    clearInterval(this.#timer);
    this.onError(error);
    this.onChange("prepend", 0);
  }

  /**
   * @param {EntryList} list
   * @param {AbortSignal} signal
   */
  async #readOlderPages(list, signal) {
    let first = list.first ?? this.#after + 1;
    for await (const { raws, byteCount } of this.pagesBefore(first, signal)) {
      if (signal.aborted || this.list !== list) return;
      // Newer ones may have taken the room meanwhile.
      if ((list.first ?? first) === first) list.prepend(raws, byteCount);
      first -= raws.length;
      this.isComplete = list.first !== first || list.isFull;
      if (this.isComplete) break;
      this.onChange("prepend", raws.length);
    }
    this.isComplete = true;
    this.onChange("prepend", 0);
  }

  /**
   * The entries in front of a version in pages, the newest page first, as far as they are kept. Throws
   * `StatecastError`.
   * @param {number} first
   * @param {AbortSignal} signal
   */
  async *pagesBefore(first, signal) {
    const { epoch } = this;
    while (first - 1 > this.baseVersion && !signal.aborted && this.epoch === epoch) {
      const after = Math.max(this.baseVersion, first - 1 - pageLimit);
      try {
        const page = await this.#page(after, first - 1 - after);
        if (page.raws.at(-1)?.version !== first - 1) return;
        yield page;
        first = after + 1;
      } catch (error) {
        const { oldest } = /** @type {any} */ (error).problem ?? {};
        if (!(oldest > after) || this.epoch !== epoch) throw error;
        // What was before is no longer kept.
        this.baseVersion = Math.min(oldest, first - 1);
      }
    }
  }

  /** Reads what is new; what comes meanwhile is read right after. */
  async #read() {
    this.#hasNews = true;
    if (this.#isReading || this.#isOver) return;
    this.#isReading = true;
    try {
      while (this.#hasNews && !this.#closing.signal.aborted) {
        this.#hasNews = false;
        await this.#readNews();
        await new Promise((resolve) => setTimeout(resolve, breath));
      }
    } catch (error) {
      // A server that cannot be reached is the connection's to tell.
      if (!this.#closing.signal.aborted && !isPassing(error)) this.#end(error);
    } finally {
      this.#isReading = false;
    }
  }

  async #readNews() {
    try {
      const { raws, byteCount } = await this.#page(this.#after, pageLimit);
      if (raws.length === 0) return;
      this.list.append(raws, byteCount);
      this.#after = /** @type {number} */ (this.list.last);
      if (raws.length === pageLimit) this.#hasNews = true;
      this.onChange("append", raws.length);
    } catch (error) {
      if (!isOfBefore(error)) throw error;
      await this.#begin();
      this.onChange("reset", this.list.entries.length);
      if (!this.isComplete) this.#readOlder().catch(() => {});
    }
  }

  /**
   * So many entries behind a version of this epoch, as far as there are; the server sends large ones in
   * several parts.
   * @param {number} after
   * @param {number} limit
   */
  async #page(after, limit) {
    /** @type {any[]} */ const raws = [];
    let [byteCount, hasMore] = [0, true];
    while (hasMore && raws.length < limit) {
      const behind = raws.at(-1)?.version ?? after;
      const query = `after=${this.epoch}-${behind}&limit=${limit - raws.length}&patch=1`;
      const response = await this.#get(`/log?${query}`);
      const text = await response.text();
      byteCount += text.length;
      raws.push(...JSON.parse(text));
      hasMore = response.headers.has("Link");
    }
    return { raws, byteCount };
  }

  /** @param {string} path Behind the session's. */
  async #get(path) {
    const { signal } = this.#closing;
    const response = await fetch(this.address.url + path, { signal, cache: "no-cache" })
      .catch((error) => {
        if (signal.aborted) throw error;
        throw new StatecastError(0, { detail: "The server cannot be reached." });
      });
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}

/** The same may be answered later, or was lost on its way. */
const isPassing = (/** @type {any} */ { reaction = "again" }) => reaction === "again";
/** It was about versions of before the session began anew. */
const isOfBefore = (/** @type {any} */ { code }) =>
  code === "version-gone" || code === "version-not-reached";

/** @param {string[]} roles */
const refusal = (roles) =>
  new StatecastError(403, {
    type: "/problems/forbidden",
    detail: `A timeline needs the role inspect; here you have ${roles.join(", ") || "none"}.`,
  });
