/**
 * The Counter page: state `{"count":0}`.
 *
 * For tests: `[data-testid=count]` shows the number, `increment`, `decrement`, `reset` are buttons,
 * `by` is the step's input. The bar: see `/client/ui/session-page.js`.
 */
import { h, render } from "/client/ui/dom.js";
import { openPage, senderTo } from "/client/ui/session-page.js";
import { terminal } from "/client/ui/terminal.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const mirror = await openPage("/counter");
const send = senderTo(mirror);
let step = 1;

/** @param {{ count: number } | undefined} state undefined where the session begins anew. */
function draw(state) {
  if (!state) return;
  const { count } = state;
  const url = `${location.origin}/counter/sessions/${mirror.id}`;
  const isLong = String(count).length > 6;
  render(
    main,
    h(
      "section",
      { class: "card counter", "aria-labelledby": "title" },
      h("h1", { id: "title", class: "unseen" }, "Counter"),
      h("output", { class: isLong ? "count long" : "count", "data-testid": "count" }, count),
      h(
        "div",
        { class: "steps" },
        h("button", {
          class: "button",
          type: "button",
          "data-testid": "decrement",
          "aria-label": "Take away",
          onclick: () => send({ type: "decremented", payload: { by: step } }),
        }, "−"),
        h("input", {
          class: "input",
          type: "number",
          inputmode: "numeric",
          // The element's own from then on: drawing it again would take back what is typed.
          ref: (/** @type {HTMLInputElement} */ element) => {
            element.value = String(step);
          },
          "data-testid": "by",
          "aria-label": "Step",
          oninput: (/** @type {any} */ event) => {
            step = Math.trunc(Number(event.currentTarget.value)) || 0;
          },
        }),
        h("button", {
          class: "button primary",
          type: "button",
          "data-testid": "increment",
          "aria-label": "Add",
          onclick: () => send({ type: "incremented", payload: { by: step } }),
        }, "+"),
      ),
      h("button", {
        class: "button plain",
        type: "button",
        "data-testid": "reset",
        disabled: count === 0,
        onclick: () => send({ type: "reset" }),
      }, "Reset"),
    ),
    h(
      "section",
      { class: "beside" },
      h("h2", null, "The same from a shell"),
      terminal(`curl -N \\\n  ${url}/events`),
      terminal(
        `curl ${url}/actions \\\n` +
          `  -H 'Content-Type: application/json' \\\n` +
          `  -d '{"type":"incremented","payload":{"by":5}}'`,
      ),
    ),
  );
}

mirror.onState(draw);
