/**
 * The panel about one version: who and when, what the entry changed, the action, and the state.
 *
 * For tests: `[data-testid=detail]` has `data-version`, and `data-shown`, the version whose state
 * is there, once it is; `state`, `action`, `link` (to another version, with `data-to`),
 * `detail-fault`; `compare` keeps the version, to see others beside it: see `sides.js`; `what-if` asks
 * for another action in the place of this one: see `play-dialog.js`.
 */
import { h, render } from "/client/ui/dom.js";
import { copy } from "/client/ui/session-page.js";
import { entryBeside } from "./beside.js";
import { changesOf } from "./changes.js";
import { sides } from "./sides.js";
import { stepList } from "./steps.js";
import { Tree } from "./tree.js";
import { count, dateAndClock, duration, size } from "./words.js";

/** While keys are held down, states are asked for after so many milliseconds. */
const calm = 60;
/** The state before stays so long until it is clear that the new one takes its time. */
const patience = 250;

/**
 * @typedef {import("./entry.js").Entry} Entry
 * @typedef {{ state: any, version: number }} Past
 * @typedef {object} Loaded What is known of a version.
 * @property {number} version
 * @property {Past | null} past
 * @property {Past | null} other The state that it is compared with.
 * @property {unknown} before The state at the version before.
 * @property {any} fault Why there is no state.
 * @property {{ steps: import("./changes.js").Step[], mark: import("./changes.js").Mark }} [changes]
 */
export class Detail {
  /** @type {any} */ #source = null;
  /** @type {number | null} */ #version = null;
  /** @type {Loaded | null} */ #loaded = null;
  /** The version that the others are compared with. @type {number | null} */
  against = null;
  #isLate = false;
  #timer = 0;
  #lateTimer = 0;
  #closing = new AbortController();
  #stateTree = new Tree(() => this.#draw());
  #actionTree = new Tree(() => this.#draw());

  /**
   * @param {HTMLElement} element
   * @param {object} options
   * @param {(version: number) => void} options.onSelect
   * @param {() => void} options.onBack To the list, where only one of both has room.
   * @param {(version: number) => string} options.href
   * @param {() => void} options.onAgainst
   * @param {(entry: Entry) => void} options.onWhatIf
   */
  constructor(element, { onSelect, onBack, href, onAgainst, onWhatIf }) {
    this.element = element;
    this.onSelect = onSelect;
    this.onBack = onBack;
    this.href = href;
    this.onAgainst = onAgainst;
    this.onWhatIf = onWhatIf;
  }

  /** What the source is compared with, entry by entry. @type {import("./comparison.js").Comparison | null} */
  comparison = null;

  /**
   * Shows a version of a source.
   * @param {any} source
   * @param {number | null} version
   */
  show(source, version) {
    const isSame = this.#version === version && this.#source === source;
    if (isSame && this.#loaded?.past) return this.#draw();
    this.#closing.abort();
    this.#closing = new AbortController();
    clearTimeout(this.#timer);
    clearTimeout(this.#lateTimer);
    if (this.#source !== source) this.#loaded = null;
    this.#source = source;
    this.#version = version;
    this.#isLate = this.#loaded === null;
    this.#draw();
    if (version === null) return;
    this.#timer = setTimeout(() => this.#load(version), this.#loaded ? calm : 0);
    this.#lateTimer = setTimeout(() => {
      this.#isLate = this.#loaded?.version !== version;
      this.#draw();
    }, patience);
  }

  /** Forgets the states that it has: the versions are of another epoch now. */
  forget() {
    this.#loaded = null;
    this.against = null;
  }

  /** @param {number | null} version From now on the others are compared with it. */
  #compare(version) {
    this.against = version;
    this.#loaded = null;
    this.onAgainst();
    this.show(this.#source, this.#version);
  }

  /** @param {number} version */
  async #load(version) {
    const { signal } = this.#closing;
    const source = this.#source;
    const isFirst = version <= source.baseVersion;
    const before = isFirst
      ? undefined
      : source.stateAt(version - 1, signal).catch(() => undefined);
    const other = this.comparison?.former.stateAt(version).catch(() => null)
      ?? (this.against !== null && this.against !== version
        ? source.stateAt(this.against, signal) : null);
    const loaded = await Promise.all([source.stateAt(version, signal), other]).then(
      async ([past, other]) => ({
        version, past, other, before: (await before)?.state, fault: null,
      }),
      (/** @type {any} */ fault) => ({ version, past: null, other: null, before: undefined, fault }),
    );
    if (signal.aborted) return;
    this.#loaded = loaded;
    this.#isLate = false;
    this.#draw();
  }

  #draw() {
    const [source, version] = [this.#source, this.#version];
    const loaded = this.#loaded?.version === version ? this.#loaded : null;
    this.element.dataset.version = String(version ?? "");
    this.element.dataset.shown = String(loaded?.past?.version ?? "");
    this.element.setAttribute("aria-busy", String(version !== null && !loaded));
    if (version === null) return render(this.element, nothingChosen());
    const entry = source.list.at(version);
    if (loaded?.past && loaded.other) return this.#drawSides(entry, loaded.past, loaded.other);
    const changes = this.#changesOf(entry, loaded);
    render(
      this.element,
      this.#head(version, entry),
      entry ? this.#facts(entry) : null,
      version === source.baseVersion
        ? h("p", { class: "soft", key: "base" }, version === 0
          ? "The state that the session began with."
          : "The oldest state that is kept: the entries here come after it.")
        : null,
      entry ? this.#changes(entry, changes.steps) : null,
      entry?.isAction ? this.#action(entry) : null,
      this.#state(version, loaded, changes.mark),
    );
  }

  /**
   * @param {Entry | null} entry
   * @param {Past} past
   * @param {Past} other
   */
  #drawSides(entry, past, other) {
    if (this.comparison) {
      const names = /** @type {[string, string]} */ (["as it was", "what would have been"]);
      return render(this.element, this.#head(past.version, entry),
        entry ? this.#facts(entry) : null, entry ? entryBeside(entry, this.comparison) : null,
        sides(other, past, this.#stateTree, names, "Both states"));
    }
    const [from, to] = past.version < other.version ? [past, other] : [other, past];
    render(this.element, this.#head(past.version, entry), sides(from, to, this.#stateTree));
  }

  /**
   * What an entry changed; found out once.
   * @param {Entry | null} entry
   * @param {Loaded | null} loaded
   */
  #changesOf(entry, loaded) {
    if (!loaded || !entry) return changesOf(undefined, entry?.patch ?? []);
    loaded.changes ??= changesOf(loaded.before, entry.patch ?? []);
    return loaded.changes;
  }

  /**
   * @param {number} version
   * @param {Entry | null} entry
   */
  #head(version, entry) {
    return h("div", { class: "detail-head", key: "head" },
      h("button", { class: "button small back", type: "button", onclick: this.onBack },
        "← Entries"),
      h("h2", { tabindex: "-1", "data-testid": "detail-title" },
        h("span", { class: "soft" }, `v${version} `),
        entry?.type ?? (version === this.#source.baseVersion ? "Beginning" : "")),
      this.comparison ? null : this.#comparison(version));
  }

  /** @param {number} version */
  #comparison(version) {
    const { against } = this;
    return h("p", { class: "comparison", key: "comparison" },
      against === version ? h("span", { class: "soft" }, "Choose the version to see beside it. ") : null,
      h("button", {
        class: "button small",
        type: "button",
        "data-testid": "compare",
        onclick: () => this.#compare(against === null ? version : null),
      }, against === null ? "Compare…" : `Stop comparing with v${against}`));
  }

  /** @param {Entry} entry */
  #facts(entry) {
    const { list } = this.#source;
    const { raw, cause, version } = entry;
    const gap = list.gapBefore(entry);
    const caused = list.causedBy(version);
    const batch = list.batchOf(version);
    const roles = raw.by?.roles?.join(", ");
    const facts = [
      ["When", [dateAndClock(entry.time),
        gap === null ? null : h("span", { class: "soft" }, ` +${duration(gap)}`)]],
      ["Who", [h("span", { class: "origin", "data-origin": entry.origin }), ` ${entry.who}`,
        raw.by?.id || roles ? h("span", { class: "soft" },
          ` (${[entry.origin, roles].filter(Boolean).join("; ")})`) : null]],
      cause === null ? null : ["Cause", this.#links([cause])],
      caused.length === 0 ? null : ["Led to", this.#links(caused)],
      batch ? ["Batch", [`${count(batch.last - batch.first + 1, "entry", "entries")}, `,
        this.#links([batch.first, batch.last], " to ")]] : null,
      raw.kind && raw.kind !== "action" && entry.isAction ? ["Kind", raw.kind] : null,
      raw.key ? ["Key", h("code", null, raw.key)] : null,
      raw.seed ? ["Seed", h("code", null, raw.seed)] : null,
      raw.epoch
        ? ["Epoch", [h("code", null, raw.epoch), h("span", { class: "soft" }, " begins")]]
        : null,
    ];
    return h("dl", { class: "facts", key: "facts" }, facts.filter(Boolean).map((fact) => {
      const [name, content] = /** @type {any} */ (fact);
      return [h("dt", { key: `${name} name` }, name), h("dd", { key: name }, content)];
    }));
  }

  /**
   * @param {number[]} versions
   * @param {string} [between]
   */
  #links(versions, between = ", ") {
    const most = 12;
    const links = versions.slice(0, most).map((version, index) => [
      index ? between : null,
      h("a", {
        href: this.href(version),
        key: String(version),
        "data-testid": "link",
        "data-to": version,
        onclick: (/** @type {MouseEvent} */ event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          this.onSelect(version);
        },
      }, `v${version}`),
    ]);
    return [links, versions.length > most ? `, and ${versions.length - most} more` : null];
  }

  /**
   * @param {Entry} entry
   * @param {import("./changes.js").Step[]} steps
   */
  #changes(entry, steps) {
    const batch = this.#source.list.batchOf(entry.version);
    const isInside = batch && batch.last !== entry.version;
    return h(
      "section",
      { key: "changes", "aria-labelledby": "changes-title" },
      h("h3", { id: "changes-title" }, "Changes", h("span", { class: "soft" }, entry.patch
        ? ` ${count(steps.length, "operation")}, ${size(entry.patchSize)}` : "")),
      entry.patch ? null : h("p", { class: "soft" }, isInside
        ? [`Inside of a batch: what all of it changed stands at `, this.#links([batch.last]), "."]
        : "Nothing in the state has changed."),
      stepList(steps),
    );
  }

  /** @param {Entry} entry */
  #action(entry) {
    const { action } = entry.raw;
    return h("section", { key: "action", "aria-labelledby": "action-title" },
      h("div", { class: "section-head" },
        h("h3", { id: "action-title" }, "Action"), copyButton("Copy the action", () => action),
        h("button", {
          class: "button small",
          type: "button",
          "data-testid": "what-if",
          onclick: () => this.onWhatIf(entry),
        }, "What if…")),
      h("div", { class: "json", "data-testid": "action" }, this.#actionTree.show(action)));
  }

  /**
   * @param {number} version
   * @param {Loaded | null} loaded
   * @param {import("./changes.js").Mark} mark
   */
  #state(version, loaded, mark) {
    const past = loaded?.past ?? null;
    const file = this.#source.kind === "file";
    return h(
      "section",
      { key: "state", "aria-labelledby": "state-title" },
      h("div", { class: "section-head" },
        h("h3", { id: "state-title" }, `State at v${past?.version ?? version}`),
        past ? copyButton("Copy the state", () => past.state) : null,
        file ? null : h("a", {
          class: "button small plain",
          href: `${this.#source.address.url}/state?version=${version}`,
        }, "JSON")),
      past && past.version !== version
        ? h("p", { class: "soft" },
          "Inside of a batch nothing is a state: this is the one before it.")
        : null,
      loaded?.fault
        ? h("div", { class: "fault", role: "alert", key: "fault", "data-testid": "detail-fault" },
          h("p", null, loaded.fault.message),
          file ? null : h("button", {
            class: "button small",
            type: "button",
            onclick: () => this.show(this.#source, version),
          }, "Try again"))
        : null,
      past ? h("div", { class: "json", "data-testid": "state", key: "tree" },
        this.#stateTree.show(past.state, mark)) : null,
      !loaded && this.#isLate
        ? h("div", { class: "skeleton state-skeleton", key: "skeleton", "aria-label": "Loading" })
        : null,
    );
  }
}

/**
 * @param {string} label
 * @param {() => unknown} value
 */
const copyButton = (label, value) =>
  h("button", {
    class: "button small plain",
    type: "button",
    "aria-label": label,
    onclick: async (/** @type {any} */ { currentTarget: button }) => {
      const isCopied = await copy(JSON.stringify(value(), null, 2));
      button.firstChild.data = isCopied ? "Copied" : "Not allowed";
      setTimeout(() => {
        button.firstChild.data = "Copy";
      }, 1_600);
    },
  }, "Copy");

const nothingChosen = () =>
  h("div", { class: "nothing-chosen soft", key: "nothing" },
    h("p", null, "Choose an entry to see what it changed, and the state behind it."),
    h("p", { class: "keys" },
      h("kbd", null, "↑"), h("kbd", null, "↓"), " one by one · ",
      h("kbd", null, "Home"), h("kbd", null, "End"), " · ",
      h("kbd", null, "C"), " to the cause · ",
      h("kbd", null, "/"), " filter"));
