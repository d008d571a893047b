/**
 * The operations of a patch as a list, each with the value before it.
 *
 * For tests: `[data-testid=change]` is an operation, with `data-op` and `data-path`.
 */
import { h } from "/client/ui/dom.js";
import { differencesOf } from "./changes.js";
import { leafValue } from "./tree.js";
import { brief, count } from "./words.js";

/** So many operations are listed. */
const operationLimit = 100;
/** Of a value that was replaced, so many members are told one by one. */
const differenceLimit = 12;
const signs = { add: "+", remove: "−", replace: "~" };

/** @param {import("./changes.js").Step[]} steps */
export const stepList = (steps) => [
  h("ol", { class: "steps", key: "steps" }, steps.slice(0, operationLimit).map(stepLine)),
  steps.length > operationLimit
    ? h("p", { class: "soft", key: "more" },
      `… and ${count(steps.length - operationLimit, "operation")} more.`)
    : null,
];

/**
 * @param {import("./changes.js").Step} step
 * @param {number} index
 */
function stepLine({ op, path, before, after }, index) {
  const differences = op === "remove" ? null : differencesOf(before, after, differenceLimit);
  const sign = /** @type {Record<string, string>} */ (signs)[op] ?? "?";
  return h(
    "li",
    { key: String(index), "data-testid": "change", "data-op": op, "data-path": path },
    h("span", { class: "sign", title: op, "aria-label": op, role: "img" }, sign),
    h("code", { class: "path" }, path || "the whole state"),
    h("div", { class: "values" },
      differences ? differenceLines(differences) : becoming(before, after)),
  );
}

/** @param {import("./changes.js").Difference[]} differences */
export const differenceLines = (differences) =>
  differences.map((each) =>
    h("span", { class: "difference", key: each.name, "data-testid": "difference" },
      h("span", { class: "key" }, each.name), becoming(each.before, each.after)));

/**
 * @param {unknown} before undefined stands for nothing.
 * @param {unknown} after
 */
const becoming = (before, after) => [
  before === undefined
    ? null
    : h("del", { class: isContainer(before) ? "large" : "" }, shortValue(before)),
  before !== undefined && after !== undefined ? h("span", { class: "soft" }, " → ") : null,
  after === undefined ? null : h("ins", null, shortValue(after)),
];

/** @param {any} value */
const isContainer = (value) => typeof value === "object" && value !== null;

/** @param {any} value */
function shortValue(value) {
  if (isContainer(value)) return brief(value, 90);
  const isLong = typeof value === "string" && value.length > 120;
  return leafValue(isLong ? `${value.slice(0, 120)}…` : value);
}
