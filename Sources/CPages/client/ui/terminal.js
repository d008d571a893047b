import { h } from "./dom.js";
import { copy } from "./session-page.js";

/**
 * A command to be copied.
 * @param {string} command
 */
export function terminal(command) {
  return h(
    "div",
    { class: "terminal" },
    h("pre", { tabindex: "0" }, h("code", null, command)),
    h("button", {
      class: "copy",
      type: "button",
      onclick: async (/** @type {any} */ event) => {
        const button = event.currentTarget;
        button.firstChild.data = await copy(command) ? "Copied" : "Select it";
        setTimeout(() => {
          button.firstChild.data = "Copy";
        }, 1_600);
      },
    }, "Copy"),
  );
}
