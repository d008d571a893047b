import { clock, duration, size } from "./words.js";

/** @typedef {import("./entry.js").Entry} Entry */

/**
 * A row of the grid. It is made once and shows one entry after the other, as the list is scrolled:
 * to change its texts costs a tenth of making it.
 */
export class Row {
  /** @type {Entry | null} */ #entry = null;
  /** @type {number | null} */ #gap = null;
  #mark = "";
  #version = cell("version");
  #time = cell("time");
  #since = cell("since", "gap");
  #who = cell("who", "who");
  #origin = part(this.#who, "span", "origin");
  #name = part(this.#who, "span", "name");
  #what = cell("what", "what");
  #badge = part(this.#what, "span", "badge");
  #type = part(this.#what, "b", "");
  #payload = part(this.#what, "span", "payload");
  #cause = cell("cause");
  #link = document.createElement("a");
  #patch = cell("patch", "size");

  constructor() {
    this.element = document.createElement("div");
    this.element.dataset.testid = "entry";
    this.element.setAttribute("role", "row");
    this.element.append(this.#version, this.#time, this.#since, this.#who, this.#what,
      this.#cause, this.#patch);
    this.#origin.setAttribute("aria-hidden", "true");
    this.#link.tabIndex = -1;
    this.#link.dataset.testid = "cause";
  }

  /**
   * @param {Entry} entry
   * @param {object} spot
   * @param {number} spot.index Counted from 0.
   * @param {number} spot.top In pixels.
   * @param {boolean} spot.isSelected
   * @param {number | null} spot.gap Since the entry before.
   * @param {{ first: number, last: number } | null} spot.batch
   * @param {string} spot.mark In what it is another than before: `refused`; nothing where it is the same.
   * @param {(version: number) => string} href
   */
  show(entry, { index, top, isSelected, gap, batch, mark }, href) {
    const { element } = this;
    element.style.transform = `translateY(${top}px)`;
    element.setAttribute("aria-rowindex", String(index + 2));
    element.setAttribute("aria-selected", String(isSelected));
    const end = batch?.last === entry.version ? " batch-end" : "";
    const other = mark ? " is-other" : "";
    element.className = `entry-row${batch ? " in-batch" : ""}${end}${other}`;
    if (this.#entry === entry && this.#gap === gap && this.#mark === mark) return;
    this.#entry = entry;
    this.#gap = gap;
    this.#mark = mark;
    element.id = `entry-${entry.version}`;
    element.dataset.version = String(entry.version);
    element.setAttribute("aria-label", [entry.spoken(gap), mark].filter(Boolean).join(", "));
    this.#version.textContent = String(entry.version);
    this.#time.textContent = clock(entry.time);
    this.#since.textContent = gap === null ? "" : `+${duration(gap)}`;
    this.#origin.dataset.origin = entry.origin;
    this.#name.textContent = entry.who;
    this.#badge.textContent = mark;
    this.#badge.dataset.mark = mark;
    this.#type.textContent = entry.type;
    this.#type.className = entry.isAction ? "" : "event";
    this.#payload.textContent = entry.payload;
    this.#patch.textContent = entry.patch ? size(entry.patchSize) : "–";
    this.#showCause(entry.cause, href);
  }

  /**
   * @param {number | null} cause
   * @param {(version: number) => string} href
   */
  #showCause(cause, href) {
    if (cause === null) return this.#link.remove();
    this.#link.textContent = `↑ ${cause}`;
    this.#link.href = href(cause);
    this.#link.dataset.cause = String(cause);
    this.#link.setAttribute("aria-label", `Caused by version ${cause}`);
    this.#cause.append(this.#link);
  }
}

/**
 * @param {string} name
 * @param {string} [id] What tests find it by.
 */
function cell(name, id) {
  const element = document.createElement("span");
  element.className = name;
  element.setAttribute("role", "gridcell");
  if (id) element.dataset.testid = id;
  return element;
}

/**
 * @param {HTMLElement} parent
 * @param {string} tag
 * @param {string} name
 */
function part(parent, tag, name) {
  const element = document.createElement(tag);
  element.className = name;
  return parent.appendChild(element);
}
