/**
 * Looks through all that is kept, the newest entries first: those that the page has, and behind them one
 * page of the log after the other, of which it keeps what it finds.
 *
 * For tests: `[data-testid=search]` has `data-phase`; in it `search-stop` and `search-on`.
 */
import { h } from "/client/ui/dom.js";
import { Entry } from "./entry.js";
import { count } from "./words.js";

/** How long the page may stand still, in milliseconds. */
const patience = 12;
/** So many are found at most behind those that the page has: a person names more words then. */
const limit = 20_000;

export class Search {
  /** Those found so far, in the order of their versions. @type {Entry[]} */ entries = [];
  /** So many were looked at. */
  count = 0;
  /** `full`: there may be more than it finds. @type {"runs" | "stopped" | "full" | "over"} */
  phase = "stopped";
  /** Why it does not go on. */
  fault = "";
  /** The version that is looked at next. */
  #next = 0;
  #apartCount = 0;
  #wake = () => {};
  #stopping = new AbortController();

  /**
   * @param {import("./workspace.js").Source} source
   * @param {(entry: Entry) => boolean} matches
   * @param {() => void} onFound Also called when it ends.
   */
  constructor(source, matches, onFound) {
    this.source = source;
    this.list = source.list;
    this.matches = matches;
    this.onFound = onFound;
    this.#next = source.list.last ?? source.baseVersion;
  }

  /** Goes on from where it is, the first moments at once. */
  async start() {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    this.phase = "runs";
    this.fault = "";
    try {
      await this.#lookThroughList(signal);
      await this.#lookThroughLog(signal);
      if (!signal.aborted) this.#end(this.#apartCount < limit ? "over" : "full");
    } catch (error) {
      this.fault = /** @type {any} */ (error).message;
      if (!signal.aborted) this.#end("stopped");
    }
  }

  /** Leaves off; `start` goes on. */
  stop() {
    this.#stopping.abort();
    this.#wake();
    if (this.phase === "runs") this.phase = "stopped";
  }

  /**
   * More entries are in the list.
   * @param {"append" | "prepend" | "reset"} kind
   * @param {Entry[]} came
   */
  came(kind, came) {
    if (kind === "append") {
      this.entries = this.entries.concat(came.filter(this.matches));
      this.count += came.length;
    }
    this.#wake();
  }

  /** @param {"stopped" | "full" | "over"} phase */
  #end(phase) {
    this.phase = phase;
    this.onFound();
  }

  /** @param {AbortSignal} signal */
  async #lookThroughList(signal) {
    const { source, list } = this;
    while (!signal.aborted) {
      const end = performance.now() + patience;
      const found = [];
      const first = list.first ?? Infinity;
      for (; this.#next >= first && performance.now() < end; this.#next -= 1) {
        const entry = /** @type {Entry} */ (list.at(this.#next));
        if (this.matches(entry)) found.push(entry);
        this.count += 1;
      }
      this.#add(found);
      const isThrough = this.#next < first;
      if (isThrough && source.isComplete) return;
      this.onFound();
      await new Promise((resolve) => {
        this.#wake = () => resolve(null);
        if (!isThrough) setTimeout(resolve);
      });
    }
  }

  /** @param {AbortSignal} signal */
  async #lookThroughLog(signal) {
    const { source } = this;
    if (source.kind === "file" || signal.aborted) return;
    for await (const { raws } of source.pagesBefore(this.#next + 1, signal)) {
      if (signal.aborted) return;
      const found = raws.map((raw) => new Entry(raw, this.list.start)).filter(this.matches);
      for (const entry of found) this.list.keepApart(entry);
      this.count += raws.length;
      this.#next -= raws.length;
      this.#add(found.reverse());
      this.#apartCount += found.length;
      if (this.#apartCount >= limit) return;
      this.onFound();
    }
  }

  /** @param {Entry[]} found The newest first. */
  #add(found) {
    if (found.length > 0) this.entries = [...found.reverse(), ...this.entries];
  }

  /** How far it is, and what stops it or has it go on. */
  progress() {
    const { phase, fault } = this;
    if (phase === "over") return null;
    const far = `${count(this.count, "entry", "entries")} searched`;
    const text = {
      runs: `${far}…`,
      stopped: fault ? `${far}. ${fault}` : `${far}, and no earlier ones.`,
      full: `${far}: more are found than are shown here.`,
    }[phase];
    return h("p", { class: "search soft small-text", key: "search", "data-testid": "search",
      "data-phase": phase },
      text,
      phase === "full" ? null : h("button", {
        class: "button small",
        type: "button",
        key: phase,
        "data-testid": phase === "runs" ? "search-stop" : "search-on",
        onclick: () => {
          if (phase === "runs") this.stop();
          else void this.start();
          this.onFound();
        },
      }, phase === "runs" ? "Stop" : "Go on"));
  }
}
