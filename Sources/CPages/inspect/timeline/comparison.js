/**
 * Two sessions entry by entry: what was, and what is made of the same actions, one of them edited. Each
 * entry has the version of the one that it is compared with.
 *
 * For tests: `[data-testid=comparison]` tells what differs; in it `next-other` and `only-others`.
 */
import { h } from "/client/ui/dom.js";
import { Search } from "./search.js";

const same = (/** @type {unknown} */ one, /** @type {unknown} */ other) =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * Whether two patches of a state do the same: operations on parts that lie apart may come in any order.
 * @param {any[] | undefined} one
 * @param {any[] | undefined} other
 */
export function areSamePatches(one, other) {
  if (same(one, other)) return true;
  if (one?.length !== other?.length || !one || !other) return false;
  /** The places of each operation in the other patch, the last first. @type {Map<string, number[]>} */
  const places = new Map();
  for (let place = other.length - 1; place >= 0; place -= 1) {
    const text = textOf(other[place]);
    if (!places.get(text)?.push(place)) places.set(text, [place]);
  }
  /** Of what came before: the last place that reaches a part, and one in it. @type {Map<string, number>[]} */
  const [at, within] = [new Map(), new Map()];
  return one.every((operation) => {
    const place = places.get(textOf(operation))?.pop();
    if (place === undefined) return false;
    const parts = partsAbove(operation);
    const last = Math.max(within.get(parts[0]) ?? -1, ...parts.map((part) => at.get(part) ?? -1));
    at.set(parts[0], place);
    for (const part of parts) within.set(part, Math.max(within.get(part) ?? -1, place));
    return last < place;
  });
}

/** What an operation says, but for the order of members. @param {any} operation */
const textOf = ({ op, path, value }) => JSON.stringify([op, path, value]);

/**
 * The part that an operation may move, and all that it lies in: an element that comes or goes moves those
 * behind it.
 * @param {any} operation
 */
function partsAbove({ op, path }) {
  const parts = [op === "replace" ? path : path.replace(/\/(?:\d+|-)$/, "")];
  for (let end = parts[0].lastIndexOf("/"); end >= 0; end = parts[0].lastIndexOf("/", end - 1)) {
    parts.push(parts[0].slice(0, end));
    if (end === 0) break;
  }
  return parts;
}

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
    return areSamePatches(raw.patch, former.patch) ? "" : "differs";
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
   * What differs, and the ways there.
   * @param {object} around
   * @param {number} around.selected The version that is looked at.
   * @param {boolean} around.isAlone Only those that differ are in the list.
   * @param {(version: number) => void} around.onSelect
   * @param {() => void} around.onAlone
   */
  bar({ selected, isAlone, onSelect, onAlone }) {
    const next = this.next(selected, false) ?? this.next(0, false);
    return h("div", { class: "comparison", key: "comparison", "data-testid": "comparison" },
      h("p", { class: "soft", role: "status" }, this.sentence),
      h("button", {
        class: "button small",
        type: "button",
        "data-testid": "next-other",
        "aria-keyshortcuts": "n",
        disabled: next === null,
        onclick: () => next !== null && onSelect(next),
      }, "Next that differs"),
      h("button", {
        class: "button small",
        type: "button",
        "data-testid": "only-others",
        "aria-pressed": String(isAlone),
        onclick: onAlone,
      }, "Those alone"));
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
