/**
 * Asks how a recording is to be played, or what one of its actions is to have been, and has it played.
 *
 * For tests: `[data-testid=play-dialog]`, in it `play-mount`, `play-mode`, `play-action`, `play-start`,
 * `play-cancel` and `play-fault`.
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
 * @property {{ version: number, action: string } | null} edited The entry that is to have another action,
 *   and the JSON of the one that it has.
 */
export class PlayDialog {
  /** @type {Playable | null} */ #playable = null;
  /** What is under way. @type {AbortController | null} */ #task = null;
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
    this.#text = playable.edited?.action ?? "";
    this.#fault = "";
    this.#draw();
  }

  /** Closes it; what is under way is given up. */
  close() {
    this.#task?.abort();
    this.#task = null;
    this.#playable = null;
    this.#draw();
  }

  async #start() {
    const playable = this.#playable;
    if (!playable || this.#task) return;
    const task = new AbortController();
    this.#task = task;
    this.#fault = "";
    this.#draw();
    try {
      const [place, beside] = await this.#play(playable, task.signal);
      if (task.signal.aborted) return;
      this.close();
      this.onStarted(place, beside);
    } catch (error) {
      if (task.signal.aborted) return;
      this.#task = null;
      const { message, problem } = /** @type {any} */ (error);
      this.#fault = problem?.pointer ? `${message} (at ${problem.pointer})` : message;
      this.#draw();
    }
  }

  /**
   * Plays all, or has all reduced again with the edited action; a file is played as it was besides.
   * @param {Playable} playable
   * @param {AbortSignal} signal
   * @returns {Promise<[Place, Place | null]>} The new session, and the one to compare it with.
   *
   * @typedef {import("./place.js").Place} Place
   */
  async #play({ edited, place, read }, signal) {
    const mount = mountOf(this.#mount);
    const action = edited && actionIn(this.#text);
    const recording = await read();
    if (!edited || !action) return [await startReplay(mount, recording, this.#mode, signal), null];
    const what = withAction(recording, edited.version, action);
    const beside = place ?? await startReplay(mount, recording, "instant", signal);
    return [await startReplay(mount, what, "instant", signal, true), beside];
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
      field("mount", "Application", "input", {
        list: "mounts",
        autocomplete: "off",
        value: this.#mount,
        oninput: (/** @type {any} */ { currentTarget: { value } }) => {
          this.#mount = value;
        },
      }),
      mountList(),
      this.#fault
        ? h("p", { class: "fault", role: "alert", id: "play-fault", key: "fault",
          "data-testid": "play-fault" },
          this.#fault)
        : null,
      h("div", { class: "side-by-side", key: "buttons" },
        h("button", {
          class: "button",
          type: "button",
          "data-testid": "play-cancel",
          onclick: () => this.close(),
        }, "Cancel"),
        h("button", {
          class: "button primary",
          type: "submit",
          "data-testid": "play-start",
          disabled: this.#task !== null,
        }, this.#task ? "One moment" : edited ? "See" : "Play")),
    );
  }

  #modeField() {
    return field("mode", "How fast", "select", {
      value: this.#mode,
      onchange: (/** @type {any} */ { currentTarget: { value } }) => {
        this.#mode = value;
      },
    }, Object.entries(modes).map(([value, name]) =>
      h("option", { key: value, value, selected: value === this.#mode }, name)));
  }

  #actionField() {
    return [
      field("action", "The action, as JSON", "textarea", {
        class: "input action-text",
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
      h("p", { class: "soft small-text", key: "hint" }, h("code", null, "null"),
        " is as if it had not been."),
    ];
  }
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string} tag
 * @param {Record<string, any>} props
 * @param {any} [content]
 */
const field = (name, label, tag, props, content) => {
  const id = `play-${name}`;
  return h("div", { class: "field", key: name },
    h("label", { for: id }, label), h(tag, { class: "input", id, "data-testid": id, ...props }, content));
};

/**
 * The JSON of an action that was typed, on one line, or of null: the entry is left out. Throws where it is
 * neither.
 * @param {string} text
 */
function actionIn(text) {
  let action;
  try {
    action = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${/** @type {Error} */ (error).message}`);
  }
  if (action !== null && typeof action.type !== "string") throw new Error('An action has a type: {"type":"…"}.');
  return text.trim().replace(/\s*[\r\n]\s*/g, " ");
}

/** What a field for a mount offers. */
export const mountList = () =>
  h("datalist", { id: "mounts", key: "mounts" },
    Object.keys(mounts).map((mount) => h("option", { key: mount, value: mount })));
