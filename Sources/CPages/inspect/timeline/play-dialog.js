/**
 * Asks how a recording is to be played, or what one of its actions is to have been, and has it played.
 *
 * For tests: `[data-testid=play-dialog]`, in it `play-mount`, `play-mode`, `play-action`, `play-start` and
 * `play-fault`.
 */
import { StateDialog } from "/client/ui/dialog.js";
import { h } from "/client/ui/dom.js";
import { mountOf, mounts } from "./place.js";
import { startReplay, withAction } from "./replay.js";

const modes = {
  "1x": "As fast as it happened",
  "4x": "Four times as fast",
  "20x": "Twenty times as fast",
  step: "Step by step",
  instant: "At once, to the end",
};

/**
 * @typedef {object} Playable A recording.
 * @property {string} mount
 * @property {() => Promise<string>} read
 * @property {import("./place.js").Place | null} place The session that it is of; null where it is a file.
 * @property {import("./entry.js").Entry} [edited] The entry that is to have another action.
 */
export class PlayDialog {
  /** @type {Playable | null} */ #playable = null;
  #isBusy = false;
  #fault = "";
  #mode = "1x";
  #mount = "";
  /** The edited action, as JSON. */
  #text = "";

  /**
   * @param {(place: import("./place.js").Place, beside: import("./place.js").Place | null) => void}
   *   onStarted `beside`: the session that the new one is to be compared with.
   */
  constructor(onStarted) {
    this.onStarted = onStarted;
    this.dialog = new StateDialog({
      name: "sheet play-dialog",
      id: "play-dialog",
      labelledBy: "play-title",
      onEscape: () => this.close(),
    });
  }

  /** @param {Playable} playable */
  open(playable) {
    this.#playable = playable;
    this.#mount = playable.mount;
    this.#text = JSON.stringify(playable.edited?.raw.action, null, 2) ?? "";
    this.#fault = "";
    this.#draw();
  }

  close() {
    this.#playable = null;
    this.#draw();
  }

  async #start() {
    const playable = this.#playable;
    if (!playable || this.#isBusy) return;
    this.#isBusy = true;
    this.#fault = "";
    this.#draw();
    try {
      const [place, beside] = playable.edited
        ? await this.#playEdited(playable, playable.edited)
        : [await startReplay(mountOf(this.#mount), await playable.read(), this.#mode), null];
      this.close();
      this.onStarted(place, beside);
    } catch (error) {
      const { message, problem } = /** @type {any} */ (error);
      this.#fault = problem?.pointer ? `${message} (at ${problem.pointer})` : message;
    } finally {
      this.#isBusy = false;
      this.#draw();
    }
  }

  /**
   * Has all reduced again, with the edited action; a file is played as it was besides.
   * @param {Playable} playable
   * @param {import("./entry.js").Entry} edited
   */
  async #playEdited({ place, read }, { version }) {
    const action = parseAction(this.#text);
    const mount = mountOf(this.#mount);
    const recording = await read();
    const beside = place ?? await startReplay(mount, recording, "instant");
    return [await startReplay(mount, withAction(recording, version, action), "instant", true), beside];
  }

  #draw() {
    this.dialog.show(this.#playable && this.#form());
  }

  #form() {
    const edited = this.#playable?.edited;
    return h(
      "form",
      {
        class: "stack",
        key: "form",
        onsubmit: (/** @type {any} */ event) => {
          event.preventDefault();
          this.#start();
        },
      },
      h("h2", { id: "play-title" }, edited ? `What if v${edited.version} had been…` : "Play the recording"),
      h("p", { class: "soft" }, edited
        ? "A new session shows what becomes of it and of all actions behind it, by the reducer of today, "
          + "beside what was. It runs no effects. What happened stays as it is."
        : "A new session goes through what happened, with the pauses between. It runs no effects, "
          + "and nobody can act in it. What was recorded stays as it is."),
      edited ? this.#actionField() : this.#modeField(),
      h("div", { class: "field", key: "mount" },
        h("label", { for: "play-mount" }, "Application"),
        h("input", {
          class: "input",
          id: "play-mount",
          list: "mounts",
          autocomplete: "off",
          "data-testid": "play-mount",
          value: this.#mount,
          oninput: (/** @type {any} */ { currentTarget: { value } }) => {
            this.#mount = value;
          },
        }),
        mountList()),
      this.#fault
        ? h("p", { class: "fault", role: "alert", id: "play-fault", key: "fault",
          "data-testid": "play-fault" },
          this.#fault)
        : null,
      h("div", { class: "side-by-side", key: "buttons" },
        h("button", { class: "button", type: "button", onclick: () => this.close() }, "Cancel"),
        h("button", {
          class: "button primary",
          type: "submit",
          "data-testid": "play-start",
          disabled: this.#isBusy,
        }, this.#isBusy ? "One moment" : edited ? "See" : "Play")),
    );
  }

  #modeField() {
    return h("div", { class: "field", key: "mode" },
      h("label", { for: "play-mode" }, "How fast"),
      h("select", {
        class: "input",
        id: "play-mode",
        "data-testid": "play-mode",
        value: this.#mode,
        onchange: (/** @type {any} */ { currentTarget: { value } }) => {
          this.#mode = value;
        },
      }, Object.entries(modes).map(([value, name]) =>
        h("option", { key: value, value, selected: value === this.#mode }, name))));
  }

  #actionField() {
    return h("div", { class: "field", key: "action" },
      h("label", { for: "play-action" }, "The action, as JSON"),
      h("textarea", {
        class: "input action-text",
        id: "play-action",
        "data-testid": "play-action",
        rows: Math.min(14, this.#text.split("\n").length + 1),
        spellcheck: "false",
        autocapitalize: "none",
        autofocus: true,
        "aria-describedby": this.#fault ? "play-fault" : null,
        "aria-invalid": this.#fault ? "true" : null,
        ref: (/** @type {HTMLTextAreaElement} */ element) => {
          element.value = this.#text;
        },
        oninput: (/** @type {any} */ { currentTarget: { value } }) => {
          this.#text = value;
        },
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          this.#start();
        },
      }),
      h("p", { class: "soft small-text" }, h("code", null, "null"), " is as if it had not been."));
  }
}

/**
 * An action that was typed, or null: the entry is left out. Throws where it is neither.
 * @param {string} text
 */
function parseAction(text) {
  let action;
  try {
    action = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${/** @type {Error} */ (error).message}`);
  }
  if (action !== null && typeof action.type !== "string") throw new Error('An action has a type: {"type":"…"}.');
  return action;
}

/** What a field for a mount offers. */
export const mountList = () =>
  h("datalist", { id: "mounts", key: "mounts" },
    Object.keys(mounts).map((mount) => h("option", { key: mount, value: mount })));
