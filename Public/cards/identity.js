/**
 * Who is signed in here. The browser keeps the cookie, and no script reads it: the page asks. All
 * tabs of a browser are the same person; a tab that signs in or out tells the others.
 */
import { request } from "/client/statecast.js";

export class Identity {
  /** @type {import("./wire.js").Person | null} */ person = null;
  /** Whether the server has answered who it is. */
  isKnown = false;
  /** Whether the browser holds a sign-in that the server no longer knows. */
  isForgotten = false;
  #channel = new BroadcastChannel("cards");
  /** How often somebody signed in or out here: an answer to a question of before says nothing. */
  #changeCount = 0;

  /** @param {() => void} onChange Called after it has become another person, or none. */
  constructor(onChange) {
    this.onChange = onChange;
    this.#channel.onmessage = () => void this.ask();
  }

  /** Asks the server. Throws where it cannot be reached. */
  async ask() {
    const count = this.#changeCount;
    let isForgotten = false;
    const person = await request("/cards/me").catch((error) => {
      if (![401, 404].includes(error.status)) throw error;
      isForgotten = error.status === 401;
      return null;
    });
    if (count === this.#changeCount) this.#become(person, isForgotten);
  }

  /**
   * Signs in by a name; one who moderates has come by an address with their token. Throws
   * `StatecastError` with the server's reason.
   * @param {string} name
   */
  async signIn(name) {
    const token = /^#token=([0-9a-f]{32})$/.exec(location.hash)?.[1];
    const person = await request("/cards/sign-in", { body: { name, token } });
    this.#changeCount += 1;
    this.#become(person, false);
    this.#channel.postMessage("changed");
  }

  async signOut() {
    await request("/cards/sign-out", { body: {} });
    this.#changeCount += 1;
    this.#become(null, false);
    this.#channel.postMessage("changed");
  }

  /**
   * @param {import("./wire.js").Person | null} person
   * @param {boolean} isForgotten
   */
  #become(person, isForgotten) {
    const isSame = this.isKnown && this.person?.id === person?.id &&
      this.isForgotten === isForgotten;
    this.person = person;
    this.isForgotten = isForgotten;
    this.isKnown = true;
    if (!isSame) this.onChange();
  }
}
