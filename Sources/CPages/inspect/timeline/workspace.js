/**
 * One timeline, of a session or of a file: what it is, the filter, the entries and the panel about
 * the chosen one.
 *
 * For tests: `[data-testid=summary]` tells how many entries there are, `source-fault` why there
 * will be no more; `news` jumps to what came; `play-recording` asks to play it. The others: see
 * `grid.js`, `detail.js`, `filter.js`, `player.js`, `saving.js`, `comparison.js`.
 */
import { h, render } from "/client/ui/dom.js";
import { showError } from "/client/ui/session-page.js";
import { Comparison } from "./comparison.js";
import { Detail } from "./detail.js";
import { Filter } from "./filter.js";
import { endOf } from "./faults.js";
import { EntryGrid } from "./grid.js";
import { indented, memberRange } from "./json-text.js";
import { Player } from "./player.js";
import { Saving } from "./saving.js";
import { Search } from "./search.js";
import { summaryOf, titleOf } from "./summary.js";
import { fileButton } from "./welcome.js";
import { count } from "./words.js";

/** @typedef {import("./session-log.js").SessionLog | import("./recording.js").Recording} Source */
export class Workspace {
  /** @type {number | null} */ #selected = null;
  /** @type {import("./entry.js").Entry[]} */ #entries = [];
  /** Entries that came while the end was out of sight. */
  #unseen = 0;
  /** Why nothing new comes. @type {{ title: string, message: string } | null} */
  #fault = null;
  /** @type {Player | null} */ #player = null;
  /** What the filter lets through is looked for. @type {Search | null} */ #search = null;
  /** @type {Comparison | null} */ #comparison = null;
  /** @type {Saving | null} */ #saving = null;
  #filter = new Filter(() => this.#filtered());
  #closing = new AbortController();

  /**
   * @param {HTMLElement} main
   * @param {Source} source
   * @param {object} around
   * @param {number | null} around.version The one to begin with; null for the newest.
   * @param {number | null} around.against The one to compare it with.
   * @param {import("./session-log.js").SessionLog | null} around.former The session to compare all with.
   * @param {(version: number | null, against?: number | null) => string} around.href The address of a
   *   version.
   * @param {(version: number | null, against: number | null) => void} around.onVersion
   * @param {(playable: import("./play-dialog.js").Playable) => void} around.onPlay
   * @param {(file: File) => void} around.onFile
   * @param {(text: string) => void} around.speak
   */
  constructor(main, source, around) {
    this.source = source;
    this.around = around;
    render(main);
    this.element = document.createElement("div");
    this.element.className = "workspace";
    main.append(this.element);
    this.head = this.#part("div", "head");
    this.filters = this.#part("div", "filters");
    this.filters.setAttribute("role", "search");
    const panes = this.#part("div", "panes");
    const left = panes.appendChild(document.createElement("div"));
    left.className = "list-pane";
    this.note = document.createElement("div");
    this.note.className = "note";
    this.detail = this.#makeDetail(panes);
    this.player = this.#part("section", "player");
    this.player.dataset.testid = "player";
    this.player.setAttribute("aria-label", "Replay");
    this.player.hidden = true;
    this.grid = this.#makeGrid();
    left.append(this.grid.element, this.note);
    source.onChange = (kind, number) => this.#changed(kind, number);
    const { former } = around;
    if (source.kind === "session") this.#saving = new Saving(source, () => this.#drawHead());
    for (const each of [source, former]) if (each) each.onError = (error) => this.#ended(error);
    document.addEventListener("keydown", (event) => this.#pressed(event), {
      signal: this.#closing.signal,
    });
    this.#begin();
  }

  /** @param {any} error Why nothing new comes. */
  #ended(error) {
    this.#fault = endOf(error);
    this.#drawHead();
  }

  close() {
    this.#closing.abort();
    this.#search?.stop();
    this.#comparison?.close();
    this.#player?.close();
    this.source.close();
    this.element.remove();
  }

  /**
   * @param {string} tag
   * @param {string} name
   */
  #part(tag, name) {
    const part = document.createElement(tag);
    part.className = name;
    return this.element.appendChild(part);
  }

  /** @param {HTMLElement} panes */
  #makeDetail(panes) {
    const element = panes.appendChild(document.createElement("section"));
    element.className = "detail";
    element.dataset.testid = "detail";
    element.setAttribute("aria-label", "The chosen version");
    return new Detail(element, {
      onSelect: (version) => this.select(version),
      onBack: () => this.#showDetail(false),
      href: this.around.href,
      onAgainst: () => this.#choose(this.#selected ?? this.source.baseVersion),
      onWhatIf: (entry) => this.#play(entry),
    });
  }

  /** The version that is looked at. */
  get selected() {
    return this.#selected;
  }

  #makeGrid() {
    return new EntryGrid({
      onSelect: (version) => this.select(version),
      onOpen: (byKey) => this.#showDetail(true, byKey),
      onScroll: () => {
        if (this.#unseen && this.grid.isAtEnd) this.#seen();
      },
      href: this.around.href,
      shown: this.#shown,
    });
  }

  get #shown() {
    return {
      list: this.source.list,
      entries: this.#entries,
      selected: this.#selected,
      markOf: (/** @type {import("./entry.js").Entry} */ entry) =>
        this.#comparison?.markOf(entry) ?? "",
    };
  }

  #begin() {
    const { list } = this.source;
    this.#filter.begin();
    this.#filter.learn(list.entries);
    this.#entries = list.entries.slice();
    const { version, against, former } = this.around;
    this.detail.against = against;
    if (former && this.source.kind === "session") {
      this.#comparison = new Comparison(this.source, former, () => this.#drawAll({}));
      this.detail.comparison = this.#comparison;
    }
    this.#selected = version ?? list.last ?? this.source.baseVersion;
    this.#drawAll({ toEnd: true });
    if (version !== null) this.grid.reveal(version, "center");
    if (this.source.kind === "session" && this.source.isReplay && !former) {
      this.#player = new Player(this.player, this.source.place, (at) => this.select(at));
    }
    this.grid.element.focus({ preventScroll: true });
  }

  /**
   * @param {"append" | "prepend" | "reset"} kind
   * @param {number} number
   */
  #changed(kind, number) {
    const { list } = this.source;
    const wasAtEnd = this.grid.isAtEnd;
    const before = this.#entries.length;
    const wasNewest = this.#selected === (this.#entries.at(-1)?.version ?? this.source.baseVersion);
    const came = kind === "prepend" ? list.entries.slice(0, number) : list.entries.slice(-number);
    if (kind === "reset") {
      this.#filter.begin();
      this.detail.forget();
    }
    this.#filter.learn(kind === "reset" ? list.entries : came);
    this.#comparison?.came(kind, came);
    this.#search?.came(kind, came);
    if (kind === "reset" && this.#search) this.#look();
    this.#entries = this.#search?.entries ?? list.entries.slice();
    const grown = this.#entries.length - before;
    const follows = kind !== "prepend" && wasAtEnd && (wasNewest || kind === "reset");
    if (follows) this.#choose(this.#entries.at(-1)?.version ?? this.source.baseVersion);
    if (kind === "append" && !wasAtEnd) this.#unseen += number;
    this.#drawAll({
      grownBy: kind === "prepend" && !wasAtEnd ? grown : 0,
      toEnd: wasAtEnd && (kind !== "prepend" || before > 0),
    });
    if (kind === "prepend" && this.around.version === this.#selected) {
      this.grid.reveal(this.#selected ?? 0, "center");
    }
  }

  /**
   * Shows a version, and moves the list to it; a filter that hides it goes.
   * @param {number} version
   */
  select(version) {
    this.#choose(version);
    const isHidden = this.#filter.isOn && this.source.list.at(version)
      && !this.#entries.some((entry) => entry.version === version);
    if (isHidden) {
      this.#filter.clear();
      this.around.speak("The filter is off: it hid this entry.");
      this.#filtered();
    }
    this.grid.show(this.#shown);
    this.grid.reveal(version, isHidden ? "center" : "nearest");
    this.detail.show(this.source, version);
  }

  /** @param {number} version */
  #choose(version) {
    this.#selected = version;
    this.#player?.select(version);
    this.around.onVersion(version === this.source.list.last ? null : version, this.detail.against);
  }

  #filtered() {
    this.#look();
    this.#entries = this.#search?.entries ?? this.source.list.entries.slice();
    this.#drawAll({ toEnd: true });
    if (this.#selected !== null) this.grid.reveal(this.#selected, "center");
  }

  /** Looks for what the filter lets through; what the one before has found is of no use. */
  #look() {
    this.#search?.stop();
    this.source.list.forgetApart();
    this.#search = this.#filter.isOn
      ? new Search(this.source, this.#filter.matcher(), () => this.#found())
      : null;
    void this.#search?.start();
  }

  /** More is found, or all. */
  #found() {
    const search = /** @type {Search} */ (this.#search);
    const wasAtEnd = this.grid.isAtEnd;
    const grown = search.entries.length - this.#entries.length;
    this.#entries = search.entries;
    this.#drawAll({ grownBy: wasAtEnd ? 0 : grown, toEnd: wasAtEnd });
    const isOver = search.phase === "over" ? "" : " so far";
    if (search.phase !== "runs") {
      this.around.speak(`${count(this.#entries.length, "entry", "entries")} found${isOver}.`);
    }
  }

  #seen() {
    this.#unseen = 0;
    this.#drawNote();
  }

  /** @param {{ grownBy?: number, toEnd?: boolean }} change */
  #drawAll(change) {
    this.#drawHead();
    render(this.filters, this.#filter.fields(), this.#search?.progress());
    this.grid.show(this.#shown, change);
    if (this.grid.isAtEnd) this.#unseen = 0;
    this.#drawNote();
    this.detail.show(this.source, this.#selected);
  }

  #drawHead() {
    const { source } = this;
    render(
      this.head,
      h("div", { class: "about", key: "about" },
        h("h1", { class: "title" }, titleOf(source, this.around.former)),
        h("p", { class: "soft small-text", "data-testid": "summary" },
          summaryOf(source, this.#search, this.#baseLink))),
      h("div", { class: "tools", key: "tools" },
        fileButton(this.around.onFile, "button small", "Open…"),
        this.#saving?.button(),
        h("button", {
          class: "button small primary",
          type: "button",
          key: "play",
          "data-testid": "play-recording",
          onclick: () => this.#play(),
        }, "Play…")),
      this.#comparison?.bar({
        selected: this.#selected ?? 0,
        isAlone: this.#filter.isOther !== null,
        onSelect: (version) => this.select(version),
        onAlone: () => {
          const { isOther } = this.#filter;
          this.#filter.isOther = isOther ? null : (entry) => this.#comparison?.markOf(entry) !== "";
          this.#filtered();
        },
      }),
      this.#fault
        ? h("p", { class: "fault", role: "alert", key: "fault", "data-testid": "source-fault" },
          `${this.#fault.title} ${this.#fault.message}`)
        : null,
    );
  }

  /** The link to the state before the first entry. */
  get #baseLink() {
    const { baseVersion } = this.source;
    return {
      href: this.around.href(baseVersion),
      onclick: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.select(baseVersion);
        this.#showDetail(true);
      },
    };
  }

  #drawNote() {
    const isEmpty = this.#entries.length === 0;
    const { length } = this.source.list.entries;
    render(this.note,
      isEmpty && length > 0
        ? h("div", { class: "empty", key: "none", "data-testid": "no-match" },
          h("p", null, this.#search?.phase === "over" ? "No entry is like that." : "Nothing so far."),
          h("button", {
            class: "button small",
            type: "button",
            onclick: () => {
              this.#filter.clear();
              this.#filtered();
            },
          }, "Show all"))
        : null,
      isEmpty && length === 0
        ? h("p", { class: "empty", key: "nothing", "data-testid": "no-entries" },
          this.source.kind === "file" ? "The recording has no entries."
            : "What happens from here on is kept, and appears here.")
        : null,
      this.#unseen > 0
        ? h("button", {
          class: "button small primary news",
          type: "button",
          key: "news",
          "data-testid": "news",
          onclick: () => this.#toEnd(),
        }, `${this.#unseen.toLocaleString("en")} new ↓`)
        : null);
  }

  #toEnd() {
    const last = this.#entries.at(-1);
    if (last) this.select(last.version);
    this.grid.show(this.#shown, { toEnd: true });
    this.#seen();
  }

  /** @param {import("./entry.js").Entry} [entry] The one that is to have another action. */
  async #play(entry) {
    const { source } = this;
    const { mount, place } = source;
    const read = () => source.readRecording(entry?.version);
    try {
      this.around.onPlay({ mount, place, read, edited: entry ? await this.#actionOf(entry) : null });
    } catch (error) {
      showError(error);
    }
  }

  /**
   * An entry's action as it was written, to be edited.
   * @param {import("./entry.js").Entry} entry
   */
  async #actionOf({ version }) {
    const text = await this.source.textOf(version);
    const action = text.slice(...memberRange(text, "action") ?? [0, 0]);
    return { version, action: indented(action) };
  }

  /**
   * Where only the list or the panel has room: which of them.
   * @param {boolean} isShown
   * @param {boolean} [byKey] The keyboard goes along.
   */
  #showDetail(isShown, byKey = false) {
    this.element.classList.toggle("shows-detail", isShown);
    if (!isShown) this.grid.element.focus();
    else if (byKey || getComputedStyle(this.grid.element).visibility === "hidden") {
      /** @type {HTMLElement | null} */ (this.detail.element.querySelector("h2"))?.focus();
    }
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    if (document.querySelector("dialog[open]")) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && target.id === "filter") {
      this.#filter.clear();
      this.#filtered();
      this.grid.element.focus();
      return;
    }
    if (event.key === "Escape" && this.detail.element.contains(target)) this.#showDetail(false);
    if (target.closest("input, select, textarea")) return;
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("filter")?.focus();
    } else if (event.key === "c" && this.#selected !== null) {
      const cause = this.source.list.at(this.#selected)?.cause ?? null;
      if (cause === null) this.around.speak("Nothing is said to have caused it.");
      else this.select(cause);
    } else if (event.key.toLowerCase() === "n" && this.#comparison) {
      const other = this.#comparison.next(this.#selected ?? 0, event.shiftKey);
      if (other === null) this.around.speak("No other entry differs.");
      else this.select(other);
    }
  }
}
