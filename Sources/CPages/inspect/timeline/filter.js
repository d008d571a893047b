/**
 * Which entries are seen: by text in them, by who sent them, by their type.
 *
 * For tests: `[data-testid=filter]` is the text, `filter-who` and `filter-type` are selects.
 */
import { h } from "/client/ui/dom.js";

/** A select offers so many choices at most. */
const choiceLimit = 300;

export class Filter {
  text = "";
  who = "";
  type = "";
  /** Only those that are others than before. @type {((entry: import("./entry.js").Entry) => boolean) | null} */
  isOther = null;
  /** @type {Map<string, number>} */ #whos = new Map();
  /** @type {Map<string, number>} */ #types = new Map();

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  get isOn() {
    return Boolean(this.text.trim() || this.who || this.type || this.isOther);
  }

  clear() {
    Object.assign(this, { text: "", who: "", type: "", isOther: null });
  }

  /** Forgets the choices that were met. */
  begin() {
    this.#whos.clear();
    this.#types.clear();
  }

  /**
   * Offers what entries that came hold.
   * @param {import("./entry.js").Entry[]} entries
   */
  learn(entries) {
    const add = (/** @type {Map<string, number>} */ counts, /** @type {string} */ name) => {
      const known = counts.get(name);
      if (known || counts.size < choiceLimit) counts.set(name, (known ?? 0) + 1);
    };
    for (const { who, type } of entries) {
      add(this.#whos, who);
      add(this.#types, type);
    }
  }

  /**
   * Tells whether an entry is to be seen, as the fields are now.
   * @returns {(entry: import("./entry.js").Entry) => boolean}
   */
  matcher() {
    const { who, type, isOther } = this;
    const words = this.text.toLowerCase().split(/\s+/).filter(Boolean);
    return (entry) =>
      (!who || entry.who === who) && (!type || entry.type === type)
      && (!isOther || isOther(entry)) && entry.holds(words);
  }

  /** The fields. */
  fields() {
    return [
      h("input", {
        class: "input",
        type: "search",
        id: "filter",
        "data-testid": "filter",
        "aria-label": "Search in actions and patches",
        "aria-keyshortcuts": "/",
        placeholder: "Search actions and patches",
        autocomplete: "off",
        spellcheck: "false",
        key: "text",
        value: this.text,
        oninput: (/** @type {any} */ event) => this.#set("text", event.currentTarget.value),
      }),
      this.#select("who", "Everybody", this.#whos),
      this.#select("type", "Every action", this.#types),
    ];
  }

  /**
   * @param {"who" | "type"} name
   * @param {string} all
   * @param {Map<string, number>} counts
   */
  #select(name, all, counts) {
    const known = [...counts.keys()];
    if (this[name] && !counts.has(this[name])) known.push(this[name]);
    return h("select", {
      class: "select",
      key: name,
      "data-testid": `filter-${name}`,
      "aria-label": name === "who" ? "Filter by who sent it" : "Filter by type",
      onchange: (/** @type {any} */ event) => this.#set(name, event.currentTarget.value),
    }, ["", ...known.sort()].map((value) =>
      h("option", { key: value, value, selected: value === this[name] },
        value ? `${value} (${(counts.get(value) ?? 0).toLocaleString("en")})` : all)));
  }

  /**
   * @param {"text" | "who" | "type"} name
   * @param {string} value
   */
  #set(name, value) {
    this[name] = value;
    this.onChange();
  }
}
