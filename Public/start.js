/**
 * The start page: a counter that is live, and the same by curl.
 *
 * For tests: `[data-testid=count]`, `increment`, `decrement`; `curl` is each of the commands.
 */
import { Mirror } from "/client/statecast.js";
import { h, render } from "/client/ui/dom.js";
import {
  beginAnew,
  identity,
  makeSession,
  senderTo,
  sessionInAddress,
  showError,
} from "/client/ui/session-page.js";
import { terminal } from "/client/ui/terminal.js";

const id = sessionInAddress();
const url = `${location.origin}/counter/sessions/${id}`;
const element = (/** @type {string} */ name) =>
  /** @type {HTMLElement} */ (document.getElementById(name));

const commands = [
  ["Make a session, or find that it is there.", `curl -i -X PUT ${url}`],
  ["Follow it, in a shell of its own. Every new state is one event.", `curl -N ${url}/events`],
  [
    "Send an action. The answer names the version that it made.",
    `curl ${url}/actions \\\n  -H 'Content-Type: application/json' \\\n` +
    `  -d '{"type":"incremented","payload":{"by":5}}'`,
  ],
  ["Ask for the state. The ETag is the version; send it back and wait for the next.",
    `curl -i ${url}/state`],
];

render(
  element("commands"),
  commands.map(([text, command]) =>
    h("li", { "data-testid": "curl" }, h("p", null, text), terminal(command))
  ),
);
render(
  element("snippet"),
  terminal(
    `const events = new EventSource("${url}/events");\n` +
      `events.onmessage = ({ data }) => {\n  console.log(JSON.parse(data).count);\n};`,
  ),
);

element("timeline").setAttribute("href", `/inspect/timeline/?session=/counter/sessions/${id}`);

const mirror = /** @type {Mirror<any>} */ (
  new Mirror("/counter", await makeSession("/counter", id), { identity })
);
mirror.onStatus(({ phase }) => {
  element("lost").hidden = phase !== "lost";
});
element("begin-anew").addEventListener("click", () => {
  beginAnew(mirror).catch(showError);
});

const send = senderTo(mirror);

mirror.onState((/** @type {{ count: number } | undefined} */ state, token) =>
  state && render(
    element("try"),
    h(
      "div",
      { class: "row" },
      h("output", { "data-testid": "count", "aria-label": "Count" }, state.count),
      h(
        "div",
        { class: "buttons" },
        h("button", {
          class: "button",
          type: "button",
          "data-testid": "decrement",
          "aria-label": "Take one away",
          onclick: () => send({ type: "decremented", payload: { by: 1 } }),
        }, "−"),
        h("button", {
          class: "button primary",
          type: "button",
          "data-testid": "increment",
          "aria-label": "Add one",
          onclick: () => send({ type: "incremented", payload: { by: 1 } }),
        }, "+"),
      ),
    ),
    h("pre", { "aria-hidden": "true" }, `id: ${token}\ndata: ${JSON.stringify(state)}`),
  )
);
