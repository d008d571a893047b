/**
 * Asks how a recording is to be played, and has it played.
 *
 * For tests: `[data-testid=play-dialog]`, in it `play-mount`, `play-mode`, `play-start` and
 * `play-fault`.
 */
import { StateDialog } from "/client/ui/dialog.js";
import { h } from "/client/ui/dom.js";
import { mountOf, mounts } from "./place.js";
import { startReplay } from "./replay.js";

const modes = {
  "1x": "As fast as it happened",
  "4x": "Four times as fast",
  "20x": "Twenty times as fast",
  step: "Step by step",
  instant: "At once, to the end",
};

/** @typedef {{ mount: string, read: () => Promise<string> }} Playable A recording and its mount. */
export class PlayDialog {
  /** @type {Playable | null} */ #playable = null;
  #isBusy = false;
  #fault = "";
  #mode = "1x";
  #mount = "";

  /** @param {(place: import("./place.js").Place) => void} onStarted */
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
      const place = await startReplay(mountOf(this.#mount), await playable.read(), this.#mode);
      this.close();
      this.onStarted(place);
    } catch (error) {
      this.#fault = /** @type {any} */ (error).message;
    } finally {
      this.#isBusy = false;
      this.#draw();
    }
  }

  #draw() {
    this.dialog.show(this.#playable && this.#form());
  }

  #form() {
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
      h("h2", { id: "play-title" }, "Play the recording"),
      h("p", { class: "soft" },
        "A new session goes through what happened, with the pauses between. It runs no effects, "
          + "and nobody can act in it. What was recorded stays as it is."),
      h("div", { class: "field", key: "mode" },
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
          h("option", { key: value, value, selected: value === this.#mode }, name)))),
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
        ? h("p", { class: "fault", role: "alert", key: "fault", "data-testid": "play-fault" },
          this.#fault)
        : null,
      h("div", { class: "side-by-side", key: "buttons" },
        h("button", { class: "button", type: "button", onclick: () => this.close() }, "Cancel"),
        h("button", {
          class: "button primary",
          type: "submit",
          "data-testid": "play-start",
          disabled: this.#isBusy,
        }, this.#isBusy ? "One moment" : "Play")),
    );
  }
}

/** What a field for a mount offers. */
export const mountList = () =>
  h("datalist", { id: "mounts", key: "mounts" },
    Object.keys(mounts).map((mount) => h("option", { key: mount, value: mount })));
