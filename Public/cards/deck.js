/** What a card's number means: its suit, its rank, its name, and what may be played on it. */

export const suits = /** @type {const} */ (["clubs", "diamonds", "hearts", "spades"]);
const marks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const ranks = [
  "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen",
  "king",
];
/** Black and red in turn, so that neighbours are told apart in the hand. */
const order = [0, 1, 3, 2];

/** @param {number} card */
export const suitOf = (card) => Math.floor(card / 13);
/** @param {number} card From 0, the ace, to 12, the king. */
export const rankOf = (card) => card % 13;
/** @param {number} card `7`, `K` */
export const markOf = (card) => marks[rankOf(card)];
/** @param {number} card `seven of hearts` */
export const nameOf = (card) => `${ranks[rankOf(card)]} of ${suits[suitOf(card)]}`;
/** @param {number} card */
export const isRed = (card) => suitOf(card) === 1 || suitOf(card) === 2;

/**
 * Whether the rules let a card be played on another: the suit or the rank is the same.
 * @param {number} card
 * @param {number | null} top
 */
export const matches = (card, top) =>
  top !== null && (suitOf(card) === suitOf(top) || rankOf(card) === rankOf(top));

/**
 * By suit, then by rank.
 * @param {number[]} hand
 */
export const sorted = (hand) =>
  hand.toSorted((one, other) =>
    order[suitOf(one)] - order[suitOf(other)] || rankOf(one) - rankOf(other)
  );
