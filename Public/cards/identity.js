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
  /** Counts questions and changes: an answer to a question of before says nothing. */
  #turn = 0;

  /**
   * @param {() => void} onChange Called after it has become another person, or none.
   * @param {() => void} onSame Called after the server has said that it is the same one.
   */
  constructor(onChange, onSame) {
    this.onChange = onChange;
    this.onSame = onSame;
    this.#channel.onmessage = () => void this.ask();
  }

  /**
   * Asks the server, as often as it takes, until somebody asks later or signs in or out here.
   * @param {() => void} [onFailure] Called each time there is no answer.
   */
  async ask(onFailure = () => {}) {
    this.#turn += 1;
    const turn = this.#turn;
    for (let wait = 1_000; turn === this.#turn; wait = Math.min(wait * 2, 15_000)) {
      const answer = await request("/cards/me").then(
        (person) => ({ person, isForgotten: false }),
        ({ status }) =>
          [401, 404].includes(status) ? { person: null, isForgotten: status === 401 } : null,
      );
      if (turn !== this.#turn) return;
      if (answer) return this.#become(answer.person, answer.isForgotten);
      onFailure();
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /**
   * Signs in by a name; one who moderates has come by an address with their token. Throws
   * `StatecastError` with the server's reason.
   * @param {string} name
   */
  async signIn(name) {
    const token = /^#token=([0-9a-f]{32})$/.exec(location.hash)?.[1];
    const person = await request("/cards/sign-in", { body: { name, token } });
    this.#turn += 1;
    this.#become(person, false);
    this.#channel.postMessage("changed");
  }

  async signOut() {
    await request("/cards/sign-out", { body: {} });
    this.#turn += 1;
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
    if (isSame) this.onSame();
    else this.onChange();
  }
}
