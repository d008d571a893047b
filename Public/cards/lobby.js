/**
 * The lobby: who is signed in, the tables, and the form that opens one.
 *
 * For tests, `data-testid`: `lobby`, `me`, `sign-out`, `fault-signOut`; `table` (with `data-id`
 * and `data-phase`), `no-tables`, `opening`; `table-name`, `seats-2` to `seats-4`, `open`,
 * `fault-open`.
 */
import { h } from "/client/ui/dom.js";
import { portrait } from "./people.js";
import { addresses } from "./place.js";
import { nameForm } from "./welcome.js";

const phases = { waiting: "Waiting", playing: "Playing", won: "Over" };

/**
 * @typedef {import("./cards.js").Surroundings} Surroundings
 *
 * @param {import("./wire.js").Lobby | null} state null before it is known.
 * @param {Surroundings} around
 */
export function lobby(state, around) {
  return h(
    "section",
    { class: "lobby", "data-testid": "lobby", key: "lobby" },
    h("header", { class: "screen-head" }, h("h1", { tabindex: "-1" }, "Tables"), who(around)),
    around.notes.show("signOut"),
    h("div", { class: "lobby-columns" }, tableList(state, around),
      around.me ? openForm(around) : signInCard(around)),
  );
}

/** @param {Surroundings} around */
function who({ me, signOut }) {
  if (!me) return null;
  return h(
    "div",
    { class: "who" },
    portrait(me.name),
    h("b", { "data-testid": "me", "data-id": me.id }, me.name),
    h("button", {
      class: "button small",
      type: "button",
      "data-testid": "sign-out",
      onclick: signOut,
    }, "Sign out"),
  );
}

/**
 * @param {import("./wire.js").Lobby | null} state
 * @param {Surroundings} around
 */
function tableList(state, { me }) {
  if (!state) {
    return h("div", { class: "tables", key: "loading", role: "status", "aria-label": "Loading" },
      [1, 2, 3].map((key) => h("div", { class: "skeleton table-skeleton", key: String(key) })));
  }
  const { tables, opening } = state;
  const isEmpty = tables.length === 0 && opening.length === 0;
  return h(
    "div",
    { key: "tables" },
    h("p", { class: "unseen", role: "status" },
      `${tables.length} ${tables.length === 1 ? "table" : "tables"}`),
    isEmpty
      ? h("p", { class: "empty", "data-testid": "no-tables" },
        me ? "No table is open. Open the first." : "No table is open yet.")
      : h("ul", { class: "tables" }, tables.map((table) => row(table, me)),
        opening.map((name, index) => openingRow(name, index))),
  );
}

/**
 * @param {import("./wire.js").Summary} table
 * @param {import("./wire.js").Person | null} me
 */
function row({ id, name, seats, players, phase, openedBy }, me) {
  const isFree = phase === "waiting" && players.length < seats;
  const isIn = me !== null && players.includes(me.name);
  return h(
    "li",
    { key: id },
    h(
      "a",
      {
        class: "card table-row",
        href: addresses.table(id),
        "data-testid": "table",
        "data-id": id,
        "data-phase": phase,
      },
      h("span", { class: "table-title" }, h("b", null, name),
        h("span", { class: "phase", "data-phase": phase }, phases[phase])),
      h("span", { class: "chairs" },
        players.map((player, index) => h("span", { key: String(index) }, portrait(player))),
        Array.from({ length: Math.max(0, seats - players.length) }, (_, index) =>
          h("span", { class: "chair", "aria-hidden": "true", key: `free-${index}` }))),
      h("span", { class: "soft small-text" },
        players.length > 0
          ? `${players.join(", ")} · ${players.length} of ${seats} seats taken`
          : `${seats} seats, all free · opened by ${openedBy}`),
      h("span", { class: "table-go" },
        isIn ? "Go on" : isFree && me ? "Take a seat" : "Watch"),
    ),
  );
}

/**
 * @param {string} name
 * @param {number} index
 */
const openingRow = (name, index) =>
  h("li", { class: "card table-row opening", "data-testid": "opening", key: `opening-${index}` },
    h("span", { class: "table-title" }, h("b", null, name),
      h("span", { class: "spinner", "aria-hidden": "true" })),
    h("span", { class: "soft small-text" }, "Being opened…"));

/** @param {Surroundings} around */
function openForm({ notes, isOpening, open }) {
  return h(
    "form",
    {
      class: "card open-form",
      key: "open",
      novalidate: true,
      "aria-labelledby": "open-title",
      "aria-busy": String(isOpening),
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const values = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
        open(String(values.get("name")).trim(), Number(values.get("seats")));
      },
    },
    h("h2", { id: "open-title" }, "Open a table"),
    h(
      "div",
      { class: "field" },
      h("label", { for: "table-name" }, "Its name"),
      h("input", {
        class: "input",
        id: "table-name",
        name: "name",
        "data-testid": "table-name",
        autocomplete: "off",
        maxlength: 40,
        ...notes.fieldProps("open"),
      }),
    ),
    h(
      "fieldset",
      { class: "choice" },
      h("legend", null, "Seats"),
      h("div", { class: "choice-row" }, [2, 3, 4].map((seats) =>
        h("label", { key: String(seats), "data-testid": `seats-${seats}` },
          h("input", {
            type: "radio",
            name: "seats",
            value: String(seats),
            // The element's own from then on: drawing it again would take back what is chosen.
            ref: (/** @type {HTMLInputElement} */ element) => {
              element.checked = seats === 2;
            },
          }),
          h("span", null, String(seats)))
      )),
    ),
    notes.show("open"),
    h("button", {
      class: "button primary wide",
      type: "submit",
      "data-testid": "open",
      "aria-disabled": isOpening ? "true" : null,
    }, isOpening ? h("span", { class: "spinner", "aria-hidden": "true" }) : null,
      isOpening ? "Opening" : "Open and sit down"),
  );
}

/** @param {Surroundings} around */
const signInCard = (around) =>
  h("section", { class: "card open-form", key: "sign-in", "aria-labelledby": "sign-in-title" },
    h("h2", { id: "sign-in-title" }, "Play along"),
    h("p", { class: "soft" }, "You can watch every table. To sit down or to open one, say who " +
      "you are."),
    nameForm(around, "Sign in"));
