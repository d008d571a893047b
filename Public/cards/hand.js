/**
 * The viewer's own hand: a row of cards, one stop for the Tab key, with arrows between them.
 *
 * For tests, `data-testid`: `hand`; `hand-card` with `data-card` and `data-playable`.
 */
import { h } from "/client/ui/dom.js";
import { face } from "./faces.js";
import { matches, nameOf, sorted } from "./deck.js";

export class Hand {
  /** The card that the Tab key reaches. */
  #current = -1;
  /** Where that card is in the row: once it is played, its neighbour is reached instead. */
  #index = 0;

  /**
   * @param {import("./wire.js").Table} table
   * @param {boolean} isTurn
   * @param {(card: number) => void} play
   */
  show(table, isTurn, play) {
    const cards = sorted(table.hand);
    const isPlayable = (/** @type {number} */ card) => isTurn && matches(card, table.top);
    this.#find(cards, isPlayable);
    return h(
      "ul",
      {
        class: "hand",
        "data-testid": "hand",
        "aria-label": "Your hand. The arrow keys move between the cards.",
        key: "hand",
        style: { "--few": columns(cards.length, 7), "--many": columns(cards.length, 11) },
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#move(event),
      },
      cards.map((card) => this.#card(card, isTurn, isPlayable(card), play)),
    );
  }

  /**
   * @param {number} card
   * @param {boolean} isTurn
   * @param {boolean} isPlayable
   * @param {(card: number) => void} play
   */
  #card(card, isTurn, isPlayable, play) {
    return h(
      "li",
      { key: card },
      h("button", {
        class: "playing-card",
        type: "button",
        tabindex: card === this.#current ? "0" : "-1",
        "data-testid": "hand-card",
        "data-card": card,
        "data-playable": String(isPlayable),
        "aria-label": isPlayable ? `${nameOf(card)}, can be played` : nameOf(card),
        "aria-disabled": isPlayable ? null : "true",
        "data-waiting": isTurn ? null : "true",
        onclick: () => play(card),
        onfocus: () => {
          this.#current = card;
        },
      }, face(card)),
    );
  }

  /**
   * @param {number[]} cards
   * @param {(card: number) => boolean} isPlayable
   */
  #find(cards, isPlayable) {
    if (!cards.includes(this.#current)) {
      const isNew = this.#current === -1;
      this.#current = isNew
        ? cards.find(isPlayable) ?? cards[0] ?? -1
        : cards[Math.min(this.#index, cards.length - 1)] ?? -1;
    }
    this.#index = Math.max(0, cards.indexOf(this.#current));
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    const buttons = [...list.querySelectorAll("button")];
    const index = buttons.findIndex((button) => button === document.activeElement);
    const last = buttons.length - 1;
    const next = /** @type {Record<string, number>} */ ({
      ArrowLeft: Math.max(0, index - 1),
      ArrowRight: Math.min(last, index + 1),
      Home: 0,
      End: last,
    })[event.key];
    if (next === undefined || index < 0) return;
    event.preventDefault();
    for (const button of buttons) button.tabIndex = -1;
    this.#focus(buttons[next]);
  }

  /** @param {any} button */
  #focus(button) {
    if (!button) return;
    button.tabIndex = 0;
    button.focus();
  }
}

/**
 * How many cards a row has so that the rows are of one length. The style divides by one less.
 * @param {number} count
 * @param {number} most
 */
const columns = (count, most) =>
  String(Math.max(2, Math.ceil(count / Math.max(1, Math.ceil(count / most)))));
