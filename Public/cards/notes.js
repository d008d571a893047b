/**
 * The server's "no", beside what it is about: at most one sentence for each thing that can be done.
 */
import { h } from "/client/ui/dom.js";

/** @typedef {"signIn" | "open" | "sit" | "move" | "say" | "leave" | "signOut"} Place */

export class Notes {
  /** @type {Map<Place, { text: string, code: string | null }>} */ #sentences = new Map();

  /**
   * @param {Place} place
   * @param {any} error What was thrown, or a sentence.
   */
  put(place, error) {
    if (error?.name === "AbortError") return;
    this.#sentences.set(place, { text: sentenceOf(error), code: error?.code ?? null });
  }

  /** @param {Place} [place] All of them where none is named. */
  clear(place) {
    if (place) this.#sentences.delete(place);
    else this.#sentences.clear();
  }

  /**
   * The code of the problem, `name-taken`.
   * @param {Place} place
   */
  code(place) {
    return this.#sentences.get(place)?.code ?? null;
  }

  /**
   * The sentence, read out when it appears; an input names it by its id, `fault-` and the place.
   * @param {Place} place
   */
  show(place) {
    const note = this.#sentences.get(place);
    return note
      ? h("p", {
        class: "failure-text",
        role: "alert",
        id: `fault-${place}`,
        key: `fault-${place}`,
        "data-testid": `fault-${place}`,
      }, note.text)
      : null;
  }

  /**
   * What an input says of itself where the sentence is about it.
   * @param {Place} place
   */
  fieldProps(place) {
    return this.#sentences.has(place)
      ? { "aria-invalid": "true", "aria-describedby": `fault-${place}` }
      : { "aria-invalid": null, "aria-describedby": null };
  }
}

/**
 * What the server says, each fault of several.
 * @param {any} error
 */
function sentenceOf(error) {
  if (typeof error === "string") return error;
  const faults = error?.problem?.errors;
  if (!Array.isArray(faults) || faults.length < 2) return error?.message ?? String(error);
  return faults.map(({ detail }) => detail).join(" ");
}
