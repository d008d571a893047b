/** The round picture of a player: the name's first letters on a colour of its own. */
import { h } from "/client/ui/dom.js";

/**
 * @param {string} name
 * @param {...any} around What lies over it.
 */
export const portrait = (name, ...around) =>
  h(
    "span",
    { class: "portrait", style: { "--hue": String(hueOf(name)) }, "aria-hidden": "true" },
    initials(name),
    around,
  );

/** @param {string} name */
const initials = (name) =>
  name.trim().split(/\s+/).slice(0, 2).map((word) => [...word][0] ?? "").join("").toUpperCase();

/** @param {string} name */
const hueOf = (name) =>
  [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
