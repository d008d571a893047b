/**
 * The other players around the table, in the order in which they follow the viewer.
 *
 * For tests, `data-testid`: `seat` with `data-id`, `data-cards`, `data-present`, `data-away` and
 * `data-turn`; `free-seat`.
 */
import { h } from "/client/ui/dom.js";
import { ring, secondsLeft } from "./clock.js";
import { back } from "./faces.js";
import { portrait } from "./people.js";
import { hasFreeSeat } from "./wire.js";

/**
 * @typedef {import("./wire.js").Table} Table
 * @typedef {import("./wire.js").Player} Player
 *
 * @param {Table} state
 */
export function seats(state) {
  const { players, you, phase } = state;
  const own = players.findIndex(({ id }) => id === you);
  const others = own < 0 ? players : [...players.slice(own + 1), ...players.slice(0, own)];
  const free = hasFreeSeat(state) ? state.seats - players.length : 0;
  return h(
    "ul",
    { class: "seats", "aria-label": own < 0 ? "Players" : "The other players", key: "seats" },
    others.map((player) => seat(player, state)),
    Array.from({ length: free }, (_, index) =>
      h("li", { class: "seat free", "data-testid": "free-seat", key: `free-${index}` },
        h("span", { class: "portrait", "aria-hidden": "true" }),
        h("span", { class: "seat-text" }, h("span", null, "Free seat")))),
  );
}

/**
 * @param {Player} player
 * @param {Table} state
 */
function seat(player, { turn, phase }) {
  const { id, name, cards, present, away } = player;
  const isTurn = phase === "playing" && turn?.player === id;
  return h(
    "li",
    {
      class: "seat",
      key: id,
      "data-testid": "seat",
      "data-id": id,
      "data-cards": cards,
      "data-present": String(present),
      "data-away": String(away),
      "data-turn": String(isTurn),
      "aria-current": isTurn ? "true" : null,
    },
    portrait(name, isTurn && turn ? ring(turn) : null, h("span", { class: "presence" })),
    h(
      "span",
      { class: "seat-text" },
      h("b", { title: name }, name),
      h("span", { class: "felt-soft small-text" }, note(player),
        isTurn && turn
          ? h("span", { role: "timer", "aria-live": "off" }, ` · ${secondsLeft(turn)} s`)
          : null),
    ),
    phase === "waiting" ? null : backs(cards),
  );
}

/**
 * The viewer's own picture, with the ring while it is their turn.
 * @param {Player} player
 * @param {import("./wire.js").Turn | null} turn
 */
export const ownPortrait = (player, turn) => portrait(player.name, turn ? ring(turn) : null);

/** @param {Player} player */
const note = ({ present, away }) => (away ? "has left" : present ? "here" : "offline");

/**
 * As many backs as cards, up to what can be told apart, and the number.
 * @param {number} count
 */
const backs = (count) =>
  h(
    "span",
    { class: "backs" },
    Array.from({ length: Math.min(count, 7) }, (_, index) =>
      h("span", { key: String(index) }, back())),
    h("span", { class: "backs-count" }, count, h("span", { class: "unseen" },
      count === 1 ? " card" : " cards")),
  );
