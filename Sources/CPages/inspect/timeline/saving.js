/**
 * Saves what a session has done as a file: all that the server keeps, which it sends in parts.
 *
 * For tests: `[data-testid=record]` is the button.
 */
import { StatecastError } from "/client/statecast.js";
import { h } from "/client/ui/dom.js";
import { showError } from "/client/ui/session-page.js";
import { memberRange } from "./json-text.js";
import { count } from "./words.js";

/** Makes one recording of its parts, each of which begins with a line about the session. */
export class RecordingJoint {
  /** Of the entries. */
  count = 0;
  /** The version of the last one. @type {number | null} */ #last = null;
  /** What all parts have in common. */
  #created = "";
  /** The time that `at` counts from in the first part, in milliseconds. */
  #start = 0;

  /**
   * The lines that a part adds. Throws `StatecastError` where it does not go on from the one before.
   * @param {string} part
   */
  linesOf(part) {
    const [head, ...lines] = part.split("\n").filter(Boolean);
    const { version, created, start } = JSON.parse(head);
    const last = this.#last ?? version;
    const isFirst = this.#last === null;
    if (isFirst) [this.#created, this.#start] = [created, Date.parse(start)];
    if (created !== this.#created || version > last) {
      throw new StatecastError(409, {
        detail: "Meanwhile the session has begun anew, or forgotten: save it again.",
      });
    }
    const later = Date.parse(start) - this.#start;
    const more = lines.slice(last - version).map((line) => later ? delayed(line, later) : line);
    this.#last = last + more.length;
    this.count += more.length;
    return [...(isFirst ? [head] : []), ...more].map((line) => `${line}\n`).join("");
  }
}

/**
 * @param {string} entry
 * @param {number} later In milliseconds.
 */
function delayed(entry, later) {
  const [from, to] = memberRange(entry, "at") ?? [0, 0];
  if (from === to) return entry;
  return entry.slice(0, from) + (Number(entry.slice(from, to)) + later) + entry.slice(to);
}

/** A button, and how far the saving is. */
export class Saving {
  #isRunning = false;
  #count = 0;

  /**
   * @param {import("./session-log.js").SessionLog} log
   * @param {() => void} draw
   */
  constructor(log, draw) {
    this.log = log;
    this.draw = draw;
  }

  button() {
    return h("button", {
      class: "button small",
      type: "button",
      key: "record",
      "data-testid": "record",
      disabled: this.#isRunning,
      onclick: () => this.#save(),
    }, this.#isRunning ? `${count(this.#count, "entry", "entries")}…` : "Save recording");
  }

  async #save() {
    const joint = new RecordingJoint();
    const lines = [];
    this.#isRunning = true;
    try {
      for await (const part of this.log.parts()) {
        lines.push(joint.linesOf(part));
        this.#count = joint.count;
        this.draw();
      }
      download(`${this.log.place.id}.ndjson`, new Blob(lines, { type: "application/x-ndjson" }));
    } catch (error) {
      showError(error);
    }
    this.#isRunning = false;
    this.draw();
  }
}

/**
 * @param {string} name
 * @param {Blob} content
 */
function download(name, content) {
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
