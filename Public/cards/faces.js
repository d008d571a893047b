/** The faces of the cards and their back, drawn as SVG. */
import { h } from "/client/ui/dom.js";
import { isRed, markOf, rankOf, suitOf } from "./deck.js";

/** The suits around the point 0, 0, twenty wide and high: clubs, diamonds, hearts, spades. */
const shapes = [
  "M0-10a4.7 4.7 0 0 1 3.4 8A4.7 4.7 0 1 1 1 5.2C1.2 7.6 2 9 3.4 10h-6.8C-2 9-1.2 7.6-1 5.2A4.7 " +
  "4.7 0 1 1-3.4-2 4.7 4.7 0 0 1 0-10Z",
  "M0-10Q3.2-4.6 7.6 0 3.2 4.6 0 10-3.2 4.6-7.6 0-3.2-4.6 0-10Z",
  "M0 9.6C-4 5-10 1.2-10-4c0-3.4 2.4-5.6 5.2-5.6 2.2 0 3.9 1.3 4.8 3.4.9-2.1 2.6-3.4 4.8-3.4C7.6" +
  "-9.6 10-7.4 10-4 10 1.2 4 5 0 9.6Z",
  "M0-10c4 4.4 10 8 10 13.2 0 2.8-2 4.6-4.5 4.6-2 0-3.6-1-4.5-2.6C1.2 7.6 2 9 3.4 10h-6.8C-2 9" +
  "-1.2 7.6-1 5.2-1.9 6.8-3.5 7.8-5.5 7.8-8 7.8-10 6-10 3.2-10-2-4-5.6 0-10Z",
];
/** What jack, queen and king wear, around the middle of its lower edge. */
const crowns = [
  "M-15 0V-4H15V0ZM-11-5C-11-14-4-17 4-16 10-15 12-10 11-5ZM6-16C8-23 13-25 18-24 17-18 12-14 7" +
  "-14Z",
  "M-15 0V-4H15V0ZM-15-6-18-17-8-11 0-20 8-11 18-17 15-6ZM0-26a2.6 2.6 0 1 1 0 5.2A2.6 2.6 0 1 1 " +
  "0-26Z",
  "M-16 0V-4H16V0ZM-16-6-19-21-9-13-5-21H-1.6V-24H-5v-3h3.4v-3h3.2v3H5v3H1.6v3H5L9-13 19-21 16-6Z",
];
const [left, middle, right] = [31, 50, 69];
const columns = (/** @type {number[]} */ ...heights) =>
  heights.flatMap((y) => [[left, y], [right, y]]);
/** Where the pips of the ace to the ten are, on a face of 100 by 140. */
const pips = [
  [],
  [[middle, 30], [middle, 110]],
  [[middle, 30], [middle, 70], [middle, 110]],
  columns(30, 110),
  [...columns(30, 110), [middle, 70]],
  columns(30, 70, 110),
  [...columns(30, 70, 110), [middle, 50]],
  [...columns(30, 70, 110), [middle, 50], [middle, 90]],
  [...columns(28, 56, 84, 112), [middle, 70]],
  [...columns(28, 56, 84, 112), [middle, 42], [middle, 98]],
];

/** @param {number} card */
export function face(card) {
  return h(
    "span",
    { class: `face ${isRed(card) ? "red" : "black"}`, key: "face" },
    h(
      "svg",
      { viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false" },
      corner(card, ""),
      corner(card, "rotate(180 50 70)"),
      rankOf(card) === 0 ? suit(card, middle, 70, 2.3) : null,
      rankOf(card) > 9 ? court(card) : null,
      (pips[rankOf(card)] ?? []).map(([x, y]) => suit(card, x, y, y > 70 ? -0.92 : 0.92)),
    ),
  );
}

/** The back, which every hidden card has. */
export const back = () => h("span", { class: "face back", key: "back", "aria-hidden": "true" });

/**
 * A suit somewhere; a negative size turns it upside down.
 * @param {number} card
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
const suit = (card, x, y, size) =>
  h("path", { d: shapes[suitOf(card)], transform: `translate(${x} ${y}) scale(${size})` });

/**
 * @param {number} card
 * @param {string} transform
 */
const corner = (card, transform) =>
  h(
    "g",
    transform ? { transform } : {},
    h("text", {
      class: "mark",
      x: 12,
      y: 23,
      ...(markOf(card) === "10" ? { textLength: 21, lengthAdjust: "spacingAndGlyphs" } : {}),
    }, markOf(card)),
    suit(card, 12, 34, 0.66),
  );

/** @param {number} card */
const court = (card) =>
  h(
    "g",
    null,
    h("rect", { class: "frame", x: 25, y: 14, width: 50, height: 112, rx: 6 }),
    ["", "rotate(180 50 70)"].map((transform) =>
      h("g", transform ? { transform } : {},
        h("path", {
          class: "crown",
          d: crowns[rankOf(card) - 10],
          transform: "translate(50 54) scale(0.86)",
        }),
        suit(card, 33.5, 23.5, 0.55))
    ),
    h("text", { class: "letter", x: middle, y: 82.5 }, markOf(card)),
  );
