/** So many characters of an event may come before its end does; a broken server sends them for ever. */
const limit = 64 << 20;

/** What came does not fit what is shown, or has no end. */
export class Gap extends Error {}

/**
 * Reads server-sent events (WHATWG HTML §9.2) from the pieces of a text, for requests that have fields
 * of their own and for where there is no `EventSource`.
 *
 * @typedef {{ type: string, id: string, data: string }} ServerEvent `data` is empty where an event
 *   says its id alone.
 */
export class EventReader {
  /** Of a line whose end has not come. */
  #rest = "";
  #type = "message";
  #id = "";
  #data = "";
  #isBlank = true;
  /** After how many milliseconds the client may come again, where that was said. */
  retry = 0;

  /**
   * The events that a further piece completes. Throws a `Gap` where one is longer than may be.
   * @param {string} text
   * @returns {ServerEvent[]}
   */
  read(text) {
    this.#rest += text;
    if (this.#rest.length + this.#data.length > limit) throw new Gap("An event has no end.");
    if (!text.includes("\n")) return [];
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#line(line.replace(/\r$/, "")) ?? []);
  }

  /** @param {string} line */
  #line(line) {
    if (line === "") return this.#event();
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "event") this.#type = value;
    else if (name === "data") this.#data += `${value}\n`;
    else if (name === "id") this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retry = Math.min(60_000, Number(value));
    if (["event", "data", "id"].includes(name)) this.#isBlank = false;
    return null;
  }

  /** @returns {ServerEvent | null} */
  #event() {
    const event = { type: this.#type, id: this.#id, data: this.#data.slice(0, -1) };
    const isBlank = this.#isBlank;
    [this.#type, this.#data, this.#isBlank] = ["message", "", true];
    return isBlank ? null : event;
  }
}
