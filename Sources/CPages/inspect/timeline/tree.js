/**
 * A JSON value as a tree that opens and closes, of which only what is open is in the page. Members
 * that an entry changed are marked and shown without a click.
 *
 * For tests: `[data-path]` is a member's JSON Pointer, `data-mark` is `added`, `changed` or
 * `reduced`.
 */
import { h } from "/client/ui/dom.js";
import { brief, count } from "./words.js";

/** So many elements of a long array are shown at first; fewer where some of it is marked. */
const [portion, markedPortion] = [50, 6];
/** So many more are with each further click. */
const furtherPortion = 200;
/** Of a text, so many characters. */
const textLimit = 2_000;
/** A container below this level is closed at first, a higher one where something is marked. */
const [openDepth, markedDepth] = [3, 1];
/** So is one with more members. */
const openSize = 24;

/** @type {Record<string, string>} */
const markWords = { added: "new", changed: "changed", reduced: "something gone" };

/** What a person has opened and closed, by the member's JSON Pointer; it outlives the value. */
export class Tree {
  /** @type {Map<string, boolean>} */ #opened = new Map();
  /** @type {Map<string, number>} */ #portions = new Map();
  #openDepth = openDepth;
  #words = markWords;

  /** @param {() => void} draw Called when the tree is to be drawn anew. */
  constructor(draw) {
    this.draw = draw;
  }

  /**
   * @param {any} value
   * @param {import("./changes.js").Mark | null} [mark]
   * @param {Record<string, string>} [words] What the marks say.
   */
  show(value, mark = null, words = markWords) {
    this.#words = words;
    const isContainer = typeof value === "object" && value !== null;
    this.#openDepth = mark && (mark.kind || mark.children.size > 0) ? markedDepth : openDepth;
    const root = { name: null, path: "", depth: 0, mark, isInNew: false };
    return h("div", { class: "tree" }, isContainer && memberCount(value) > 0
      ? this.#members(value, root)
      : this.#leaf(value, root));
  }

  /**
   * @param {any} value
   * @param {Spot} spot
   *
   * @typedef {{ name: string | null, path: string, depth: number,
   *   mark: import("./changes.js").Mark | null, isInNew: boolean }} Spot `isInNew`: what it
   *   stands in was added as a whole.
   */
  #node(value, spot) {
    const isContainer = typeof value === "object" && value !== null && memberCount(value) > 0;
    return h("li", { key: spot.path }, isContainer
      ? this.#container(value, spot)
      : this.#leaf(value, spot));
  }

  /**
   * @param {any} value
   * @param {Spot} spot
   */
  #container(value, spot) {
    const isOpen = this.#isOpen(value, spot);
    const length = memberCount(value);
    return h(
      "details",
      {
        open: isOpen,
        key: "details",
        ontoggle: (/** @type {any} */ { currentTarget: { open } }) => {
          if (open === this.#isOpen(value, spot)) return;
          this.#opened.set(spot.path, open);
          this.draw();
        },
      },
      h("summary", line(spot),
        key(spot),
        h("span", { class: "soft extent" }, isOpen
          ? Array.isArray(value) ? count(length, "element") : count(length, "member")
          : brief(value, 60)),
        this.#badge(spot)),
      isOpen ? this.#members(value, spot) : null,
    );
  }

  /**
   * @param {any} value
   * @param {Spot} spot
   */
  #isOpen(value, { path, depth, mark, isInNew }) {
    const chosen = this.#opened.get(path);
    if (chosen !== undefined) return chosen;
    if (mark && mark.children.size > 0) return true;
    const isSmall = memberCount(value) <= openSize;
    return isSmall && Boolean(mark?.kind || isInNew || depth <= this.#openDepth);
  }

  /**
   * @param {any} value
   * @param {Spot} spot
   */
  #members(value, spot) {
    const names = Object.keys(value);
    const isInNew = spot.isInNew || spot.mark?.kind === "added";
    const child = (/** @type {string} */ name) =>
      this.#node(value[name], {
        name,
        path: `${spot.path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        depth: spot.depth + 1,
        mark: spot.mark?.children.get(name) ?? null,
        isInNew,
      });
    const isMarked = spot.mark && spot.mark.children.size > 0;
    const most = this.#portions.get(spot.path) ?? (isMarked ? markedPortion : portion);
    const ranges = rangesOf(names, most, spot.mark);
    /** @type {any[]} */ const items = [];
    let at = 0;
    for (const [from, to] of [...ranges, [names.length, names.length]]) {
      if (from > at) items.push(this.#gap(from - at, at, spot.path, most));
      for (let index = from; index < to; index += 1) items.push(child(names[index]));
      at = to;
    }
    return h("ul", { key: "members" }, items);
  }

  /**
   * @param {number} length
   * @param {number} at
   * @param {string} path
   * @param {number} most
   */
  #gap(length, at, path, most) {
    return h("li", { key: `gap ${at}`, class: "gap" },
      h("button", {
        class: "button plain small",
        type: "button",
        onclick: () => {
          this.#portions.set(path, most + furtherPortion);
          this.draw();
        },
      }, `${length.toLocaleString("en")} more`));
  }

  /**
   * @param {any} value
   * @param {Spot} spot
   */
  #leaf(value, spot) {
    return h("div", line(spot), key(spot), leafValue(value), this.#badge(spot));
  }

  /** @param {Spot} spot */
  #badge({ mark }) {
    return mark?.kind ? h("span", { class: "badge", key: "badge" }, this.#words[mark.kind]) : null;
  }
}

/** @param {Spot} spot */
const line = ({ path, mark, isInNew }) => ({
  class: isInNew ? "line in-new" : "line",
  key: "line",
  "data-path": path,
  "data-mark": mark?.kind,
});

/** @param {Spot} spot */
const key = ({ name }) => name === null ? null : h("span", { class: "key", key: "key" }, name);

/** @param {any} value */
export function leafValue(value) {
  if (value === "<redacted>") {
    return h("span", { class: "value redacted", key: "value" }, "redacted");
  }
  if (typeof value === "string") {
    const text = value.length > textLimit ? `${value.slice(0, textLimit)}…` : value;
    return h("span", { class: "value text", key: "value" }, JSON.stringify(text));
  }
  if (typeof value === "object" && value !== null) {
    return h("span", { class: "value soft", key: "value" }, Array.isArray(value) ? "[]" : "{}");
  }
  const kind = value === null ? "null" : typeof value;
  return h("span", { class: `value ${kind}`, key: "value" }, String(value));
}

/** @param {any} value */
const memberCount = (value) => Array.isArray(value) ? value.length : Object.keys(value).length;

/**
 * Which members are shown: the first ones, and those around a mark.
 * @param {string[]} names
 * @param {number} most
 * @param {import("./changes.js").Mark | null} mark
 * @returns {number[][]} From, and to before which; in order, none touching another.
 */
function rangesOf(names, most, mark) {
  if (names.length <= most + 2) return [[0, names.length]];
  const wanted = new Set(Array.from({ length: most }, (_, index) => index));
  let left = portion;
  const marked = mark ? names.flatMap((name, index) => mark.children.has(name) ? [index] : []) : [];
  for (const index of marked) {
    if ((left -= 1) < 0) break;
    for (let near = index - 1; near <= index + 1; near += 1) {
      if (near >= 0 && near < names.length) wanted.add(near);
    }
  }
  /** @type {number[][]} */ const ranges = [];
  for (const index of [...wanted].sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && last[1] === index) last[1] += 1;
    else ranges.push([index, index + 1]);
  }
  return ranges;
}
