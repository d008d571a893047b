/**
 * What is shown before a session or a file is chosen, and why one could not be opened.
 *
 * For tests: `[data-testid=open-mount]`, `open-id`, `open-session`, `open-file` (a file input),
 * `open-fault`.
 */
import { h } from "/client/ui/dom.js";
import { mountList } from "./play-dialog.js";
import { mountOf, parsePlace } from "./place.js";

/**
 * @param {object} around
 * @param {{ title: string, message: string } | null} around.fault
 * @param {string} around.mount
 * @param {string} around.id
 * @param {(place: import("./place.js").Place) => void} around.onPlace
 * @param {(file: File) => void} around.onFile
 * @param {(() => void) | null} around.onRetry
 */
export const welcome = ({ fault, mount, id, onPlace, onFile, onRetry }) =>
  h(
    "div",
    { class: "welcome", key: "welcome" },
    h("div", { key: "title" },
      h("h1", null, "What happened, and why"),
      h("p", { class: "lead soft" },
        "Every entry of a session: who sent what, what caused it, how long after the one before, "
          + "what it changed. And the state at any of its versions.")),
    fault ? faultCard(fault, onRetry) : null,
    h("div", { class: "ways", key: "ways" }, sessionCard(mount, id, onPlace), fileCard(onFile)),
  );

/**
 * @param {{ title: string, message: string }} fault
 * @param {(() => void) | null} onRetry
 */
const faultCard = ({ title, message }, onRetry) =>
  h("div", { class: "fault", role: "alert", key: "fault", "data-testid": "open-fault" },
    h("p", null, h("b", null, title), " ", message),
    onRetry
      ? h("button", { class: "button small", type: "button", onclick: onRetry }, "Try again")
      : null);

/**
 * @param {string} mount
 * @param {string} id
 * @param {(place: import("./place.js").Place) => void} onPlace
 */
const sessionCard = (mount, id, onPlace) =>
  h(
    "form",
    {
      class: "card way",
      key: "session",
      onsubmit: (/** @type {any} */ event) => {
        event.preventDefault();
        const { elements } = event.currentTarget;
        const id = elements.id.value.trim();
        const place = parsePlace(`${mountOf(elements.mount.value)}/sessions/${id}`);
        if (place) return onPlace(place);
        elements.id.setCustomValidity("Letters, digits and . _ ~ - make an id, 128 at most.");
        elements.id.reportValidity();
      },
    },
    h("h2", null, "A session"),
    h("div", { class: "field" },
      h("label", { for: "open-mount" }, "Application"),
      h("input", {
        class: "input",
        id: "open-mount",
        name: "mount",
        list: "mounts",
        autocomplete: "off",
        "data-testid": "open-mount",
        ref: initially(mount),
      }),
      mountList()),
    h("div", { class: "field" },
      h("label", { for: "open-id" }, "Session"),
      h("input", {
        class: "input",
        id: "open-id",
        name: "id",
        required: true,
        placeholder: "The id in the page's address",
        autocomplete: "off",
        autocapitalize: "none",
        spellcheck: "false",
        "data-testid": "open-id",
        ref: initially(id),
        oninput: (/** @type {any} */ event) => event.currentTarget.setCustomValidity(""),
      })),
    h("p", { class: "soft small-text" },
      "From this machine, or with the role ", h("i", null, "inspect"), "."),
    h("button", { class: "button primary", type: "submit", "data-testid": "open-session" },
      "Show its timeline"),
  );

/** @param {(file: File) => void} onFile */
const fileCard = (onFile) =>
  h("div", { class: "card way drop", key: "file" },
    h("h2", null, "A recording"),
    h("p", { class: "soft" },
      "Drop a file here, or choose one. It is read in this page, and sent to a server only when "
        + "you play it."),
    h("pre", { "aria-hidden": "true" },
      "curl …/sessions/abc/recording \\\n  -o abc.ndjson"),
    fileButton(onFile, "button"));

/**
 * A button that asks for a file.
 * @param {(file: File) => void} onFile
 * @param {string} name
 * @param {string} [text]
 */
export const fileButton = (onFile, name, text = "Open a recording") =>
  h("label", { class: `${name} file-button`, key: "open-file" }, text,
    h("input", {
      class: "unseen",
      type: "file",
      accept: ".ndjson,.jsonl,.gz,application/x-ndjson",
      "data-testid": "open-file",
      onchange: (/** @type {any} */ { currentTarget: input }) => {
        if (input.files[0]) onFile(input.files[0]);
        input.value = "";
      },
    }));

/** @param {string} value */
const initially = (value) => (/** @type {HTMLInputElement} */ element) => {
  element.value = value;
};
