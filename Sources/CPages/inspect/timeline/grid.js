/**
 * The entries as a grid (WAI-ARIA) of which only the rows in sight are in the page, so that its
 * cost does not grow with their number. The focus is the grid's; `aria-activedescendant` names the
 * row.
 *
 * For tests: `[data-testid=entries]` is the grid; `entry` is a row, with `data-version`; in it
 * `who`, `what`, `cause` (a link), `gap`, `size`.
 */
import { h, render } from "/client/ui/dom.js";
import { Row } from "./row.js";

/** So many rows are drawn above and below what is in sight. */
const overscan = 8;
const columns = ["Version", "Time", "Since", "Who", "What", "Cause", "Patch"];

/**
 * @typedef {object} Shown What the grid shows.
 * @property {import("./entry-list.js").EntryList} list
 * @property {import("./entry.js").Entry[]} entries Those of the list that are to be seen.
 * @property {number | null} selected A version.
 * @property {(entry: import("./entry.js").Entry) => string} markOf In what an entry is another than
 *   before, where two sessions are compared.
 */
export class EntryGrid {
  #rowHeight = 40;
  #headHeight = 32;
  #frame = 0;
  /** The last row was in sight before the grid got another size. */
  #wasAtEnd = true;
  /** The size that the rows were drawn for. */
  #measured = "";
  /** @type {Row[]} */ #rows = [];
  /** @type {HTMLElement} */ #head;
  /** @type {HTMLElement} */ #body;
  /** @type {Shown} */ #shown;

  /**
   * @param {object} options
   * @param {(version: number) => void} options.onSelect
   * @param {(byKey?: boolean) => void} options.onOpen The selected entry is to be looked at.
   * @param {() => void} options.onScroll
   * @param {(version: number) => string} options.href The address of a version.
   * @param {Shown} options.shown
   */
  constructor({ onSelect, onOpen, onScroll, href, shown }) {
    this.#shown = shown;
    this.onSelect = onSelect;
    this.onOpen = onOpen;
    this.href = href;
    this.element = document.createElement("div");
    this.element.className = "entries";
    this.element.dataset.testid = "entries";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-label", "Entries");
    this.element.setAttribute("aria-colcount", String(columns.length));
    this.#head = this.#part("entries-head");
    this.#body = this.#part("entries-body");
    render(this.#head, h("div", { class: "entry-row", role: "row", "aria-rowindex": 1 },
      columns.map((name) =>
        h("span", { role: "columnheader", class: name.toLowerCase(), key: name }, name))));
    this.element.addEventListener("scroll", () => {
      const { clientWidth, clientHeight } = this.element;
      const isSameSize = `${clientWidth} ${clientHeight}` === this.#measured;
      if (isSameSize) this.#wasAtEnd = this.isAtEnd;
      this.#drawSoon();
      onScroll();
    }, { passive: true });
    this.element.addEventListener("click", (event) => this.#clicked(event));
    this.element.addEventListener("keydown", (event) => this.#pressed(event));
    new ResizeObserver(() => this.#measure()).observe(this.element);
  }

  /** @param {string} name */
  #part(name) {
    const part = document.createElement("div");
    part.className = name;
    part.setAttribute("role", "rowgroup");
    this.element.append(part);
    return part;
  }

  /** The last row is in sight. */
  get isAtEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    return scrollHeight - clientHeight - scrollTop < this.#rowHeight;
  }

  /**
   * Shows these entries.
   * @param {Shown} shown
   * @param {{ grownBy?: number, toEnd?: boolean }} [change] `grownBy`: so many rows are new in
   *   front, and those in sight stay; `toEnd`: the last row is shown.
   */
  show(shown, { grownBy = 0, toEnd = false } = {}) {
    this.#shown = shown;
    const { length } = shown.entries;
    this.#body.style.height = `${length * this.#rowHeight}px`;
    this.element.setAttribute("aria-rowcount", String(length + 1));
    if (grownBy) this.element.scrollTop += grownBy * this.#rowHeight;
    if (toEnd) this.element.scrollTop = this.element.scrollHeight;
    this.#wasAtEnd = this.isAtEnd;
    this.#draw();
  }

  /**
   * Scrolls so far that a version is in sight.
   * @param {number} version
   * @param {"nearest" | "center"} [where]
   */
  reveal(version, where = "nearest") {
    const index = this.#indexOf(version);
    if (index < 0) return;
    const room = this.element.clientHeight - this.#headHeight;
    const top = index * this.#rowHeight;
    const { scrollTop } = this.element;
    const isSeen = top >= scrollTop && top + this.#rowHeight <= scrollTop + room;
    if (isSeen) return this.#draw();
    if (where === "center") this.element.scrollTop = top - (room - this.#rowHeight) / 2;
    else if (top < scrollTop) this.element.scrollTop = top;
    else this.element.scrollTop = top + this.#rowHeight - room;
    this.#draw();
  }

  #measure() {
    const style = getComputedStyle(this.element);
    const read = (/** @type {string} */ name, /** @type {number} */ other) =>
      parseFloat(style.getPropertyValue(name)) || other;
    const row = read("--row", 40);
    this.#measured = `${this.element.clientWidth} ${this.element.clientHeight}`;
    const wasAtEnd = this.#wasAtEnd;
    const first = this.element.scrollTop / this.#rowHeight;
    const isOther = row !== this.#rowHeight;
    this.#rowHeight = row;
    this.#headHeight = this.#head.offsetHeight;
    this.show(this.#shown, { toEnd: wasAtEnd });
    if (isOther && !wasAtEnd) this.element.scrollTop = first * row;
  }

  #drawSoon() {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  /** Draws the rows in sight; each takes the element of one that has gone out of it. */
  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { list, entries, selected, markOf } = this.#shown;
    const { scrollTop, clientHeight } = this.element;
    const room = Math.ceil(clientHeight / this.#rowHeight);
    const slots = Math.min(entries.length, room + 2 * overscan);
    const above = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - overscan);
    const first = Math.min(entries.length - slots, above);
    this.#setRowCount(slots);
    let isDrawn = false;
    for (let index = first; index < first + slots; index += 1) {
      const entry = entries[index];
      const isSelected = entry.version === selected;
      isDrawn ||= isSelected;
      const top = index * this.#rowHeight;
      const [gap, batch] = [list.gapBefore(entry), list.batchOf(entry.version)];
      const spot = { index, top, isSelected, gap, batch, mark: markOf(entry) };
      this.#rows[index % slots].show(entry, spot, this.href);
    }
    if (isDrawn) this.element.setAttribute("aria-activedescendant", `entry-${selected}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** @param {number} count */
  #setRowCount(count) {
    while (this.#rows.length > count) this.#rows.pop()?.element.remove();
    while (this.#rows.length < count) {
      const row = new Row();
      this.#rows.push(row);
      this.#body.append(row.element);
    }
  }

  /** @param {number | null} version */
  #indexOf(version) {
    const { entries } = this.#shown;
    if (version === null) return -1;
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (entries[middle].version < version) low = middle + 1;
      else high = middle;
    }
    return entries[low]?.version === version ? low : -1;
  }

  /** @param {any} event */
  #clicked(event) {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    const cause = event.target.closest("[data-cause]");
    if (cause && !isPlain) return;
    const row = event.target.closest("[data-version]");
    if (!row) return;
    event.preventDefault();
    this.onSelect(Number(cause?.dataset.cause ?? row.dataset.version));
    if (!cause) this.onOpen();
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const { entries, selected } = this.#shown;
    const index = this.#indexOf(selected);
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#rowHeight) - 2);
    /** @type {Record<string, number>} */
    const targets = {
      ArrowUp: index < 0 ? entries.length - 1 : index - 1,
      ArrowDown: index + 1,
      PageUp: index - page,
      PageDown: index + page,
      Home: 0,
      End: entries.length - 1,
    };
    if (event.key === "Enter" && index >= 0) {
      event.preventDefault();
      return this.onOpen(true);
    }
    if (!(event.key in targets) || entries.length === 0) return;
    event.preventDefault();
    const target = Math.min(entries.length - 1, Math.max(0, targets[event.key]));
    this.onSelect(entries[target].version);
  }
}
