/**
 * A table as one of its viewers sees it.
 *
 * For tests, `data-testid`: `table-screen` (with `data-phase` and `data-you`), `leave`,
 * `fault-leave`; `turn` (with `data-player`), `fault-move`; `watching`, `sit`, `seat-name`,
 * `fault-sit`; `no-table`; those of `seats.js`, `middle.js`, `hand.js` and `chat.js`.
 */
import { h } from "/client/ui/dom.js";
import { chat } from "./chat.js";
import { secondsLeft } from "./clock.js";
import { matches } from "./deck.js";
import { middle } from "./middle.js";
import { addresses } from "./place.js";
import { ownPortrait, seats } from "./seats.js";
import { nameForm } from "./welcome.js";
import { hasFreeSeat, isTurn } from "./wire.js";

/**
 * @typedef {import("./cards.js").Surroundings} Surroundings
 * @typedef {import("./wire.js").Table} Table
 *
 * @param {Table} state
 * @param {Surroundings} around
 */
export function table(state, around) {
  const isSeated = state.you !== null && seatOf(state)?.away === false;
  return h(
    "section",
    {
      class: "table-screen",
      "data-testid": "table-screen",
      "data-phase": state.phase,
      "data-you": state.you,
      key: "table",
    },
    h(
      "header",
      { class: "screen-head" },
      h("a", { class: "button plain to-tables", href: addresses.lobby }, "← Tables"),
      h("h1", { tabindex: "-1" }, state.name),
      isSeated
        ? h("button", {
          class: "button small",
          type: "button",
          "data-testid": "leave",
          "aria-label": "Leave the table",
          onclick: around.leave,
        }, "Leave")
        : null,
    ),
    around.notes.show("leave"),
    h(
      "div",
      { class: "table-columns" },
      h(
        "section",
        { class: "felt", "aria-label": "The table", "data-turn": String(isTurn(state)) },
        seats(state),
        middle(state, around),
        isSeated ? own(state, around) : watching(state, around),
      ),
      chat(state, around),
    ),
  );
}

/** Where a table is not, or no longer. */
export const noTable = () =>
  h(
    "section",
    { class: "no-table", "data-testid": "no-table", key: "no-table" },
    h("h1", { tabindex: "-1" }, "There is no such table"),
    h("p", { class: "soft" }, "It may have been cleared away, or the link is not complete."),
    h("a", { class: "button primary", href: addresses.lobby }, "To the tables"),
  );

/** @param {Table} state */
const seatOf = ({ you, players }) => players.find(({ id }) => id === you);

/**
 * What is the viewer's own: the turn, the hand.
 * @param {Table} state
 * @param {Surroundings} around
 */
function own(state, { hand, play, notes }) {
  const seat = seatOf(state);
  if (!seat) return null;
  const isOwnTurn = isTurn(state);
  const [text, hint] = turnText(state);
  return h(
    "section",
    { class: "own", key: "own", "aria-label": "Your place" },
    h(
      "div",
      { class: "own-head", "data-turn": String(isOwnTurn) },
      ownPortrait(seat, isOwnTurn ? state.turn : null),
      h("p", { class: "turn", "data-testid": "turn", "data-player": state.turn?.player },
        h("b", null, text), hint ? h("span", { class: "felt-soft" }, hint) : null),
      isOwnTurn && state.turn
        ? h("span", { class: "seconds", role: "timer", "aria-live": "off" },
          `${secondsLeft(state.turn)} s`)
        : null,
    ),
    h("div", { class: "felt-fault", key: "fault" }, notes.show("move")),
    state.phase === "waiting" ? null : hand.show(state, isOwnTurn, play),
  );
}

/**
 * @param {Table} state
 * @returns {[string, string]}
 */
function turnText(state) {
  const { phase, turn, players, hand, top, drawCount } = state;
  if (phase === "waiting") return ["You are seated", "The game begins with the last seat."];
  if (phase === "won") return ["The game is over", "Anybody at the table may deal again."];
  if (!isTurn(state)) {
    const player = players.find(({ id }) => id === turn?.player);
    return [player ? `It is ${player.name}’s turn` : "One moment", ""];
  }
  const count = hand.filter((card) => matches(card, top)).length;
  if (count > 0) return ["Your turn", "Play a raised card, or draw one."];
  return ["Your turn", drawCount > 0 ? "No card of yours matches: draw one." : "Draw, or pass."];
}

/**
 * What stands in the place of a hand for who is not seated: a way to sit down, if there is one.
 * @param {Table} state
 * @param {Surroundings} around
 */
function watching(state, around) {
  const { me, notes } = around;
  const own = me ? state.players.find(({ id }) => id === me.id) : undefined;
  const isFree = hasFreeSeat(state);
  const canSit = isFree || own?.away === true;
  return h(
    "section",
    { class: "watching", key: "watching", "data-testid": "watching", "aria-label": "Your place" },
    h("p", null, h("b", null, "You are watching. "), h("span", { class: "felt-soft" },
      own?.away
        ? "Your seat is kept, and the clock draws for you."
        : isFree
        ? "A seat is free."
        : "Every seat is taken.")),
    h("div", { class: "felt-fault", key: "fault" }, notes.show("sit")),
    me && canSit ? sitForm(own?.away ? "Take your seat again" : "Sit down", around) : null,
    me
      ? null
      : h("div", { class: "card sit-form" }, nameForm(around, isFree ? "Sit down" : "Sign in")),
  );
}

/**
 * Sits down by one's own name, or by another one where a player at the table has it.
 * @param {string} label
 * @param {Surroundings} around
 */
function sitForm(label, { notes, isSitting, sit }) {
  const isTaken = notes.code("sit") === "name-taken";
  return h(
    "form",
    {
      class: isTaken ? "card sit-form" : "",
      novalidate: true,
      key: "sit",
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const name = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("name");
        sit(name === null ? undefined : String(name).trim());
      },
    },
    isTaken
      ? h("div", { class: "field" },
        h("label", { for: "seat-name" }, "Your name at this table"),
        h("input", {
          class: "input",
          id: "seat-name",
          name: "name",
          "data-testid": "seat-name",
          autocomplete: "off",
          maxlength: 40,
          ...notes.fieldProps("sit"),
        }))
      : null,
    h("button", {
      class: "button primary",
      type: "submit",
      "data-testid": "sit",
      "aria-disabled": isSitting ? "true" : null,
    }, label),
  );
}
