/** After a refusal for now, in milliseconds. */
const later = 5_000;

/**
 * A text that is typed here and may be typed elsewhere too. While own edits are on their way the
 * field shows them; as soon as the server has answered, and the page has seen the state that the
 * answer speaks of, the server's text is the truth, caret kept. So it is where an edit was refused for
 * good: `onError` hears of that while what was typed still stands in the field.
 *
 * While one edit is on its way the newest text waits for its answer, and those between are never sent. One
 * that the server puts off stands in the field until the server says another text than before.
 */
export class TextField {
  /** @type {HTMLInputElement | HTMLTextAreaElement | null} */ #element = null;
  /** @type {any} */ #timer = 0;
  /**
   * What was typed last, until it is sent.
   * @type {string | null}
   */
  #unsent = null;
  #onTheirWay = 0;
  /** The token of the last own edit that was accepted. */
  #accepted = "";
  /** What the server said last. */
  #text = "";
  /**
   * What it had said when it put the last own edit off.
   * @type {string | null}
   */
  #former = null;
  #isComposing = false;
  /**
   * To whom the text that has not been sent belongs: a mirror that begins anew has another address.
   * @type {unknown}
   */
  #address = null;
  #detaching = new AbortController();

  /**
   * @param {object} options
   * @param {import("./statecast.js").Mirror} options.mirror
   * @param {(text: string) => import("./statecast.js").Action} options.action
   *   What to send for a text.
   * @param {(error: any) => void} [options.onError]
   * @param {number} [options.interval] Between two edits that are sent, in milliseconds.
   */
  constructor({ mirror, action, onError = () => {}, interval = 200 }) {
    this.mirror = mirror;
    this.action = action;
    this.onError = onError;
    this.interval = interval;
  }

  /** What stands in the field. */
  get text() {
    return this.#element?.value ?? "";
  }

  /**
   * Shows the server's text, unless own edits are newer.
   * @param {string} text
   */
  sync(text) {
    this.#text = text;
    this.#forgetOthers();
    if (text !== this.#former) this.#former = null;
    const element = this.#element;
    if (!element || element.value === text || this.#isComposing || this.#unsent !== null) return;
    if (this.#onTheirWay || this.#former !== null) return;
    if (!this.mirror.includes(this.#accepted)) return;
    const { selectionStart, selectionEnd } = element;
    const isFocused = element.ownerDocument.activeElement === element;
    element.value = text;
    // An input for numbers or for an e-mail address has no selection, and throws where one is set.
    if (isFocused && selectionStart !== null) {
      element.setSelectionRange(selectionStart, selectionEnd);
    }
  }

  /** Sends what has not been sent, behind what is on its way. */
  flush() {
    this.#forgetOthers();
    const text = this.#unsent;
    this.discard();
    if (text !== null) this.#send(text);
  }

  /** Forgets what has not been sent: another action carries the text. */
  discard() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#unsent = null;
  }

  /**
   * For `h` and for React: called with the element when it is made, with null when it is gone. React
   * must not have its `value`.
   * @param {any} element
   */
  ref = (element) => {
    if (!element) this.flush();
    this.#detaching.abort();
    this.#element = element;
    if (!element) return;
    this.#detaching = new AbortController();
    const { signal } = this.#detaching;
    element.addEventListener("compositionstart", () => {
      this.#isComposing = true;
    }, { signal });
    element.addEventListener("compositionend", () => {
      this.#isComposing = false;
      this.#edited();
    }, { signal });
    element.addEventListener("input", () => {
      if (!this.#isComposing) this.#edited();
    }, { signal });
    element.addEventListener("blur", () => this.flush(), { signal });
    this.sync(this.#text);
  };

  #edited() {
    this.#forgetOthers();
    this.#unsent = this.text;
    this.#plan(this.interval);
  }

  /** @param {number} pause In milliseconds; an edit on its way prolongs it. */
  #plan(pause) {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      if (this.#onTheirWay === 0) this.flush();
    }, pause);
  }

  #forgetOthers() {
    const { address } = this.mirror;
    if (this.#address === address) return;
    this.discard();
    // What was accepted there is not waited for here.
    [this.#address, this.#accepted, this.#former] = [address, "", null];
  }

  /** @param {string} text */
  #send(text) {
    const { address } = this.mirror;
    this.#onTheirWay += 1;
    this.mirror.dispatch(this.action(text)).finally(() => {
      this.#onTheirWay -= 1;
    }).then(({ token, delayed }) => {
      if (address === this.mirror.address) {
        this.#accepted = token;
        this.#former = delayed ? this.#text : null;
      }
      if (!this.#timer && this.#onTheirWay === 0) this.flush();
      // The state may have come before the answer.
      this.sync(this.#text);
    }).catch((error) => {
      const isRefusedForNow = error?.reaction === "again" && address === this.mirror.address;
      // A later one that is on its way holds all of it.
      if (isRefusedForNow && this.#onTheirWay === 0) this.#unsent ??= text;
      if (this.#unsent !== null) this.#plan(isRefusedForNow ? later : 0);
      this.onError(error);
      this.sync(this.#text);
    });
  }
}
