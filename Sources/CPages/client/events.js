/**
 * Reads server-sent events (WHATWG HTML §9.2) from the pieces of a text, for requests that have fields
 * of their own and for where there is no `EventSource`.
 *
 * @typedef {{ type: string, id: string, data: string }} ServerEvent `data` is empty where an event
 *   says its id alone.
 */
export class EventReader {
  /**
   * Pieces of a line whose end has not come.
   * @type {string[]}
   */
  #pieces = [];
  #type = "message";
  #id = "";
  /** @type {string[]} */ #data = [];
  #isBlank = true;
  /** After how many milliseconds the client may come again, where that was said. */
  retry = 0;

  /**
   * The events that a further piece completes.
   * @param {string} text
   * @returns {ServerEvent[]}
   */
  read(text) {
    this.#pieces.push(text);
    if (!text.includes("\n")) return [];
    const lines = this.#pieces.join("").split("\n");
    this.#pieces = [lines.pop() ?? ""];
    return lines.flatMap((line) => this.#line(line.replace(/\r$/, "")) ?? []);
  }

  /** @param {string} line */
  #line(line) {
    if (line === "") return this.#event();
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "event") this.#type = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retry = Math.min(60_000, Number(value));
    if (["event", "data", "id"].includes(name)) this.#isBlank = false;
    return null;
  }

  /** @returns {ServerEvent | null} */
  #event() {
    const event = { type: this.#type, id: this.#id, data: this.#data.join("\n") };
    const isBlank = this.#isBlank;
    [this.#type, this.#data, this.#isBlank] = ["message", [], true];
    return isBlank ? null : event;
  }
}
