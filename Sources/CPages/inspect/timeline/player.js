/**
 * The bar of a replay: how far it is, and what makes it go on. It never goes back: an earlier
 * version is looked at, while the replay stays where it is.
 *
 * For tests: `[data-testid=player]` has `data-version`, `data-mode` and `data-ended`; in it `play`,
 * `step`, `speed`, `scrubber`, `progress`.
 */
import { h, render } from "/client/ui/dom.js";
import { showError } from "/client/ui/session-page.js";
import { terminal } from "/client/ui/terminal.js";
import { pathOf } from "./place.js";
import { readProgress, speeds, steerReplay } from "./replay.js";
import { position } from "./words.js";

/** Between two looks at a replay that runs, and at one that stands, in milliseconds. */
const [often, seldom] = [500, 3_000];

/** @typedef {import("./replay.js").Progress} Progress */
export class Player {
  /** @type {Progress | null} */ #progress = null;
  /** The speed to go on with after a pause. */
  #speed = "1x";
  /** Where the scrubber is held. @type {number | null} */ #held = null;
  /** @type {number | null} */ #selected = null;
  #timer = 0;
  #isOpen = true;

  /**
   * @param {HTMLElement} element
   * @param {import("./place.js").Place} place
   * @param {(version: number) => void} onSelect
   */
  constructor(element, place, onSelect) {
    this.element = element;
    this.place = place;
    this.onSelect = onSelect;
    this.#look();
  }

  close() {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.element.hidden = true;
    render(this.element);
  }

  /** @param {number | null} version The one that is looked at. */
  select(version) {
    this.#selected = version;
    if (this.#progress) this.#draw(this.#progress);
  }

  async #look() {
    clearTimeout(this.#timer);
    try {
      this.#take(await readProgress(this.place));
    } catch (error) {
      const { reaction = "again" } = /** @type {any} */ (error);
      if (reaction !== "again") return;
    }
    this.#lookLater();
  }

  #lookLater() {
    clearTimeout(this.#timer);
    const progress = this.#progress;
    if (!this.#isOpen || progress?.ended) return;
    const pause = progress && progress.mode !== "step" ? often : seldom;
    this.#timer = setTimeout(() => this.#look(), pause);
  }

  /** @param {Progress} progress */
  #take(progress) {
    if (!this.#isOpen) return;
    this.#progress = progress;
    if (/^[\d.]+x$/.test(progress.mode)) this.#speed = progress.mode;
    this.#draw(progress);
  }

  /** @param {{ mode?: string, steps?: number, version?: number }} change */
  async #steer(change) {
    try {
      this.#take(await steerReplay(this.place, change));
    } catch (error) {
      showError(error);
    }
    this.#lookLater();
  }

  /** @param {Progress} progress */
  #draw(progress) {
    const { version, first, last, at, duration, ended, mode } = progress;
    const { element } = this;
    const isRunning = !ended && mode !== "step";
    element.hidden = false;
    Object.assign(element.dataset, { version, mode, ended: String(ended) });
    render(
      element,
      h("div", { class: "player-row", key: "row" },
        this.#playButton(isRunning, ended),
        h("button", {
          class: "button small",
          type: "button",
          key: "step",
          "data-testid": "step",
          disabled: ended,
          onclick: () => this.#steer({ ...(isRunning ? { mode: "step" } : {}), steps: 1 }),
        }, "Step"),
        this.#speedSelect(mode),
        h("p", { class: "progress-text", key: "text", "data-testid": "progress" },
          h("b", null, `${version - first} of ${last - first}`),
          h("span", { class: "soft" }, ` · ${position(at)} of ${position(duration)}`
            + (ended ? " · over" : "")))),
      this.#scrubber(progress),
      h("details", { class: "watch", key: "watch" },
        h("summary", null, "Watch it elsewhere"),
        h("p", { class: "soft small-text" },
          "A session like any other, but for actions: ",
          h("a", { href: `${pathOf(this.place)}/events` }, "its stream"), ", ",
          h("a", { href: `${pathOf(this.place)}/state` }, "its state"), "."),
        terminal(`curl -N ${location.origin}${pathOf(this.place)}/events`)),
    );
  }

  /**
   * @param {boolean} isRunning
   * @param {boolean} ended
   */
  #playButton(isRunning, ended) {
    return h("button", {
      class: "button small primary",
      type: "button",
      key: "play",
      "data-testid": "play",
      disabled: ended,
      onclick: () => this.#steer({ mode: isRunning ? "step" : this.#speed }),
    }, isRunning ? "Pause" : ended ? "Played" : "Play");
  }

  /** @param {string} mode */
  #speedSelect(mode) {
    const known = [...new Set([...speeds, this.#speed])]
      .sort((one, other) => parseFloat(one) - parseFloat(other));
    return h("select", {
      class: "select",
      key: "speed",
      "data-testid": "speed",
      "aria-label": "Speed",
      disabled: this.#progress?.ended,
      onchange: (/** @type {any} */ { currentTarget: { value } }) => {
        if (value !== "instant") this.#speed = value;
        if (mode !== "step" || value === "instant") this.#steer({ mode: value });
      },
    }, [...known, "instant"].map((speed) =>
      h("option", { key: speed, value: speed, selected: speed === this.#speed },
        speed === "instant" ? "To the end" : speed.replace("x", "×"))));
  }

  /** @param {Progress} progress */
  #scrubber({ version, first, last }) {
    const shown = this.#held ?? version;
    const played = last > first ? (version - first) / (last - first) : 1;
    const looked = this.#selected !== null && last > first
      ? Math.min(1, Math.max(0, (this.#selected - first) / (last - first)))
      : played;
    return h("div", { class: "scrubber", key: "scrubber", style: { "--looked": String(looked) } },
      h("input", {
        type: "range",
        min: first,
        max: last,
        step: 1,
        value: String(shown),
        "data-testid": "scrubber",
        "aria-label": "Version of the replay",
        "aria-valuetext": `Version ${shown} of ${last}`,
        style: { "--played": String(played) },
        oninput: (/** @type {any} */ { currentTarget: { value } }) => {
          this.#held = Number(value);
        },
        onchange: (/** @type {any} */ { currentTarget: { value } }) => this.#release(Number(value)),
      }),
      h("span", { class: "looked", "aria-hidden": "true" }));
  }

  /** @param {number} version */
  #release(version) {
    this.#held = null;
    const progress = this.#progress;
    if (!progress) return;
    if (version > progress.version) this.#steer({ version });
    else if (version < progress.version) {
      this.onSelect(version);
      this.#draw(progress);
    }
  }
}
