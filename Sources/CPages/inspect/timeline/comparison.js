/**
 * Two sessions entry by entry: what was, and what is made of the same actions, one of them edited. Each
 * entry has the version of the one that it is compared with.
 */
import { Search } from "./search.js";

const same = (/** @type {unknown} */ one, /** @type {unknown} */ other) =>
  JSON.stringify(one) === JSON.stringify(other);

export class Comparison {
  /** The entries that are others than before. @type {Search | null} */ #search = null;

  /**
   * @param {import("./session-log.js").SessionLog} source
   * @param {import("./session-log.js").SessionLog} former
   * @param {() => void} onFound
   */
  constructor(source, former, onFound) {
    this.source = source;
    this.former = former;
    this.onFound = onFound;
    former.onChange = () => this.#look();
    this.#look();
  }

  close() {
    this.#search?.stop();
    this.former.close();
  }

  /** Looks for what differs as soon as both are here, the former as far back as the other reaches. */
  #look() {
    const { source, former } = this;
    const isHere = former.isComplete
      || (source.isComplete && (former.list.first ?? Infinity) <= (source.list.first ?? 0));
    if (!isHere || this.#search) return this.onFound();
    this.#search = new Search(this.source, (entry) => this.markOf(entry) !== "", this.onFound);
    void this.#search.start();
  }

  /**
   * More entries of the source have come.
   * @param {"append" | "prepend" | "reset"} kind
   * @param {import("./entry.js").Entry[]} entries
   */
  came(kind, entries) {
    if (this.#search) this.#search.came(kind, entries);
    else this.#look();
  }

  /**
   * In what an entry is another than it was; nothing where it is the same, or was not seen.
   * @param {import("./entry.js").Entry} entry
   */
  markOf({ version, raw, rejection }) {
    const former = this.former.list.at(version)?.raw;
    if (!former) return "";
    if (rejection && !same(rejection, former.rejection)) return "refused";
    if (!same(raw.action, former.action)) return raw.action ? "edited" : "left out";
    return same(raw.patch, former.patch) ? "" : "differs";
  }

  /** Those that are others, as far as they are found, in the order of their versions. */
  get entries() {
    return this.#search?.entries ?? [];
  }

  /** `3 of 40 entries differ, 1 is refused.` */
  get sentence() {
    if (this.#search?.phase !== "over") return "One moment: the entries are being compared.";
    const { length } = this.entries;
    const refused = this.entries.filter(({ rejection }) => rejection).length;
    if (length === 0) return "No entry is another than it was.";
    const all = this.source.list.entries.length.toLocaleString("en");
    return `${length.toLocaleString("en")} of ${all} entries ${length === 1 ? "is another" : "are others"}`
      + ` than before${refused ? `; ${refused.toLocaleString("en")} refused` : ""}.`;
  }

  /**
   * The next version that is another, behind or in front of one; null where there is none.
   * @param {number} version
   * @param {boolean} isBack
   */
  next(version, isBack) {
    const found = isBack
      ? this.entries.findLast((entry) => entry.version < version)
      : this.entries.find((entry) => entry.version > version);
    return found?.version ?? null;
  }
}
