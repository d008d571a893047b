/**
 * Two states side by side: what differs, and both as trees that open and close together.
 *
 * For tests: `[data-testid=sides]` has `data-from` and `data-to`, the names; in it `difference` is a
 * member that differs, `side` each state.
 */
import { h } from "/client/ui/dom.js";
import { differencesOf, marksBetween } from "./changes.js";
import { differenceLines } from "./steps.js";
import { count } from "./words.js";

/** So many members are told one by one. */
const limit = 100;
/** What the marks on the former state say. */
const formerWords = { added: "gone later", changed: "changed", reduced: "more later" };

/**
 * @typedef {import("./detail.js").Past} Past
 *
 * @param {Past} from The former.
 * @param {Past} to
 * @param {import("./tree.js").Tree} tree
 * @param {[string, string]} names What to call them; the versions where nothing else is said.
 * @param {string} title
 */
export function sides(
  from, to, tree, names = [`v${from.version}`, `v${to.version}`], title = `From ${names.join(" to ")}`,
) {
  const differences = differencesOf([from.state], [to.state], limit)?.map((each) => ({
    ...each, name: each.name.split(" › ").slice(1).join(" › ") || "the whole state",
  }));
  const number = differences?.length;
  const side = (/** @type {number} */ place, /** @type {any} */ words) => {
    const [past, other] = place === 0 ? [from, to] : [to, from];
    return h("div", { class: words ? "former" : "", key: names[place], "data-testid": "side" },
      h("h4", null, names[place]),
      h("div", { class: "json" },
        tree.show(past.state, marksBetween(other.state, past.state), words)));
  };
  return h(
    "section",
    {
      key: "sides",
      class: "compared",
      "aria-labelledby": "sides-title",
      "data-testid": "sides",
      "data-from": names[0],
      "data-to": names[1],
    },
    h("h3", { id: "sides-title" }, title),
    h("p", { class: "soft", role: "status" }, number === undefined
      ? `More than ${limit} members differ.`
      : number === 0 ? "Both states are equal."
      : `${count(number, "member differs", "members differ")}.`),
    differences && number
      ? h("div", { class: "steps differences" }, differenceLines(differences))
      : null,
    h("div", { class: "sides" }, side(0, formerWords), side(1, undefined)),
  );
}
