/**
 * Who is signed in here. The browser keeps the cookie, and no script reads it: the page asks. All
 * tabs of a browser are the same person; a tab that signs in or out tells the others.
 */
import { errorOf } from "/client/statecast.js";

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
    const response = await fetch("/cards/me", { cache: "no-store" });
    const person = response.ok ? await response.json() : null;
    if (count !== this.#changeCount) return;
    if (person) return this.#become(person, false);
    if (![401, 404].includes(response.status)) throw await errorOf(response);
    this.#become(null, response.status === 401);
  }

  /**
   * Signs in by a name; one who moderates has come by an address with their token. Throws
   * `StatecastError` with the server's reason.
   * @param {string} name
   */
  async signIn(name) {
    const token = /^#token=([0-9a-f]{32})$/.exec(location.hash)?.[1];
    const response = await post("/cards/sign-in", { name, token });
    this.#changeCount += 1;
    this.#become(await response.json(), false);
    this.#channel.postMessage("changed");
  }

  async signOut() {
    await post("/cards/sign-out", {});
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

/**
 * @param {string} path
 * @param {object} body
 */
async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })
    .catch(() => {
      throw new Error("The server cannot be reached. Try again in a moment.");
    });
  if (!response.ok) throw await errorOf(response);
  return response;
}
