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

/**
 * Whether what is shown at a token includes the action that was answered with another one.
 * @param {string | null} shown
 * @param {string} text
 */
export function reaches(shown, text) {
  const [here, token] = [parseToken(shown), parseToken(text)];
  if (!token || !here) return !token;
  return here.epoch !== token.epoch || here.version >= token.version;
}

/**
 * Remembers what was shown last and refuses what is older: the same epoch counts upwards, a new
 * epoch is the word of the server, and an epoch that was left never comes back. Another suffix is news
 * at the same version: the client is another viewer from then on.
 */
export class Ordering {
  /** @type {string | null} */ #epoch = null;
  #version = -1;
  #suffix = "";
  #left = new Set();

  /**
   * Whether a state with this token is news, and remembers it if so.
   * @param {string | null | undefined} text
   */
  accepts(text) {
    const token = parseToken(text);
    if (!token || this.#left.has(token.epoch)) return false;
    if (token.epoch === this.#epoch) {
      const isOther = token.suffix !== this.#suffix;
      if (token.version < this.#version || (token.version === this.#version && !isOther)) return false;
    } else if (this.#epoch !== null) {
      this.#left.add(this.#epoch);
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
   * Whether what was shown last includes the action that was answered with this token.
   * @param {string} text
   */
  includes(text) {
    const token = parseToken(text);
    if (!token || this.#epoch === null) return !token;
    return this.#epoch !== token.epoch || this.#version >= token.version;
  }
}
