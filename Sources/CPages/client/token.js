/**
 * Version tokens: `<epoch>-<version>`, for example `k3f9-42`. They stand in events as `id`, in
 * answers as `ETag: "k3f9-42"`, weak (`W/"…"`) where the answer is compressed, and with a suffix
 * behind a dot where only a part of the state was asked for. To everybody else they are opaque.
 */

/**
 * Reads a token, with or without the quotes and the weakness of an ETag.
 * @param {string | null | undefined} text
 * @returns {{ epoch: string, version: number, suffix: string } | null} null where it is no token;
 *   the suffix without its dot, empty for the whole state.
 */
export function parseToken(text) {
  const match = /^(?:W\/)?"?([^-".]+)-(\d+)(?:\.([^"]*))?"?$/.exec(text ?? "");
  return match ? { epoch: match[1], version: Number(match[2]), suffix: match[3] ?? "" } : null;
}

/** So many epochs that were answered are waited for. */
const awaitedLimit = 16;

/**
 * Remembers what was shown last and refuses what is older: the same epoch counts upwards, a new
 * epoch is the word of the server, and an epoch that was left never comes back. Another suffix is news
 * at the same version: the client is another viewer from then on.
 */
export class Ordering {
  /** @type {string | null} */ #epoch = null;
  #version = -1;
  #suffix = "";
  /**
   * The epochs that were shown, the present one last, each with its place.
   * @type {Map<string | null, number>}
   */
  #places = new Map();
  /**
   * Of epochs that were answered before they were shown: what was shown then.
   * @type {Map<string, number>}
   */
  #awaited = new Map();

  /**
   * Whether a state with this token is news, and remembers it if so.
   * @param {string | null | undefined} text
   */
  accepts(text) {
    const token = parseToken(text);
    if (!token) return false;
    if (token.epoch === this.#epoch) {
      const isOther = token.suffix !== this.#suffix;
      if (token.version < this.#version || (token.version === this.#version && !isOther)) return false;
    } else if (this.#places.has(token.epoch)) {
      return false;
    } else {
      this.#places.set(token.epoch, this.#places.size);
    }
    this.#epoch = token.epoch;
    this.#version = token.version;
    this.#suffix = token.suffix;
    return true;
  }

  /**
   * What is shown has not changed up to this token.
   * @param {string} text
   */
  moved(text) {
    const token = parseToken(text);
    if (token?.epoch !== this.#epoch || token?.suffix !== this.#suffix) return false;
    this.#version = Math.max(this.#version, token?.version ?? 0);
    return true;
  }

  /**
   * An action was answered with this token. The answer may be quicker than the first state of its epoch,
   * and that may never come: what is of a later epoch includes the action.
   * @param {string | null} text
   * @returns {string | null} Its epoch, where that is waited for from now on.
   */
  answered(text) {
    const epoch = parseToken(text)?.epoch;
    if (!epoch || this.#places.has(epoch) || this.#awaited.has(epoch)) return null;
    this.#awaited.set(epoch, this.#places.size - 1);
    if (this.#awaited.size > awaitedLimit) this.#awaited.delete([...this.#awaited.keys()][0]);
    return epoch;
  }

  /** @param {string} epoch Has been waited for in vain: the server was in it before what is shown. */
  pass(epoch) {
    if (this.#awaited.has(epoch)) this.#awaited.set(epoch, -1);
  }

  /**
   * Whether a state includes the action that was answered with this token.
   * @param {string} text
   * @param {string | null} [shown] The state's token; the last one's unless given.
   */
  includes(text, shown) {
    const token = parseToken(text);
    const here = shown === undefined ? { epoch: this.#epoch, version: this.#version } : parseToken(shown);
    if (!token || !here) return !token;
    if (here.epoch === token.epoch) return here.version >= token.version;
    const place = this.#places.get(token.epoch) ?? this.#awaited.get(token.epoch) ?? Infinity;
    return place < (this.#places.get(here.epoch) ?? -1);
  }
}
