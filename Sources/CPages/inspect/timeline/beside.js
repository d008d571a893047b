/**
 * An entry beside the one that it is compared with: both actions, and what each has changed.
 *
 * For tests: `[data-testid=beside]` has `data-mark`; in it `former` and `latter`, and `rejection` where one
 * was refused.
 */
import { h } from "/client/ui/dom.js";
import { changesOf } from "./changes.js";
import { stepList } from "./steps.js";

const marks = {
  "": "The same as it was.",
  edited: "This is the action that you have edited.",
  "left out": "It is left out: as if it had not been.",
  differs: "The same action, but it changes something else.",
  refused: "Refused: it changes nothing.",
};

/**
 * @param {import("./entry.js").Entry} entry
 * @param {import("./comparison.js").Comparison} comparison
 */
export function entryBeside(entry, comparison) {
  const mark = comparison.markOf(entry);
  const former = comparison.former.list.at(entry.version);
  return h(
    "section",
    { key: "beside", class: "compared", "data-testid": "beside", "data-mark": mark,
      "aria-labelledby": "beside-title" },
    h("h3", { id: "beside-title" }, "The entry"),
    h("p", { class: "soft" }, former ? marks[/** @type {keyof marks} */ (mark)]
      : "What it was is no longer kept."),
    h("div", { class: "sides" },
      former ? column("former", "as it was", former) : null,
      column("latter", "what would have been", entry)),
  );
}

/**
 * @param {string} id
 * @param {string} name
 * @param {import("./entry.js").Entry} entry
 */
const column = (id, name, { raw, patch, rejection }) =>
  h("div", { key: id, "data-testid": id },
    h("h4", null, name),
    raw.action ? h("pre", { class: "action" }, JSON.stringify(raw.action, null, 2)) : null,
    rejection
      ? h("div", { class: "fault", "data-testid": "rejection" },
        h("p", null, h("b", null, rejection.code), ` ${rejection.detail ?? ""}`))
      : null,
    patch ? stepList(changesOf(undefined, patch).steps)
      : h("p", { class: "soft" }, "Nothing in the state has changed."));
