/**
 * The middle of a table: the two piles, what happened last, and who has won.
 *
 * For tests, `data-testid`: `waiting`, `invite`; `discard` (with `data-card`), `draw` (with
 * `data-count`); `news`; `winner` (with `data-player`), `deal`.
 */
import { h } from "/client/ui/dom.js";
import { share } from "/client/ui/session-page.js";
import { matches, nameOf } from "./deck.js";
import { back, face } from "./faces.js";
import { isTurn } from "./wire.js";

/**
 * @typedef {import("./wire.js").Table} Table
 *
 * @param {Table} state
 * @param {import("./cards.js").Surroundings} around
 */
export function middle(state, { news, draw, deal }) {
  const { top, phase } = state;
  return h(
    "div",
    { class: "middle", key: "middle" },
    phase === "waiting"
      ? waiting(state, deal)
      : h(
        "div",
        { class: "piles" },
        drawPile(state, draw),
        h(
          "div",
          { class: "pile", "data-testid": "discard", "data-card": top },
          top === null
            ? h("span", { class: "slot" })
            : h("span", { class: "playing-card laid", key: `top-${top}` }, face(top)),
          h("span", { class: "unseen" }, top === null ? "" : `On top lies the ${nameOf(top)}.`),
          h("span", { class: "pile-text", "aria-hidden": "true" }, "On top"),
        ),
      ),
    phase === "won" ? winner(state, deal) : null,
    h("p", { class: "news", "data-testid": "news" }, phase === "won" ? "" : news),
  );
}

/**
 * Before the first deal: a link for those who are missing, and a way to begin without them.
 * @param {Table} state
 * @param {() => void} deal
 */
function waiting({ seats, players, you }, deal) {
  const count = seats - players.length;
  return h(
    "div",
    { class: "waiting", key: "waiting", "data-testid": "waiting" },
    h("p", { class: "waiting-text" },
      `Waiting for ${count === 1 ? "one more player" : `${count} more players`}`),
    h(
      "div",
      { class: "waiting-buttons" },
      h("button", { class: "button", type: "button", "data-testid": "invite", onclick: share },
        "Share the link"),
      you !== null && players.length >= 2
        ? h("button", { class: "button", type: "button", "data-testid": "deal", onclick: deal },
          `Begin with ${players.length}`)
        : null,
    ),
  );
}

/**
 * @param {Table} state
 * @param {() => void} draw
 */
function drawPile(state, draw) {
  const { drawCount, you, phase } = state;
  const content = [
    drawCount > 0
      ? h("span", { class: "playing-card stack", key: "back" }, back())
      : h("span", { class: "slot", key: "slot" }),
    h("span", { class: "pile-text", "aria-hidden": "true" },
      you === null || phase === "won" ? `${drawCount} left` : `Draw · ${drawCount}`),
  ];
  if (you === null || phase === "won") {
    const marks = { "data-testid": "draw", "data-count": drawCount };
    return h("div", { class: "pile", key: "draw", ...marks }, content,
      h("span", { class: "unseen" }, `${drawCount} cards to draw are left.`));
  }
  const isOwn = isTurn(state);
  return h("button", {
    class: "pile draw",
    type: "button",
    key: "draw",
    "data-testid": "draw",
    "data-count": drawCount,
    "aria-label": `Draw a card, ${drawCount} left`,
    "aria-disabled": isOwn ? null : "true",
    "data-wanted": String(isOwn && !state.hand.some((card) => matches(card, state.top))),
    onclick: draw,
  }, content);
}

/**
 * @param {Table} state
 * @param {() => void} deal
 */
function winner(state, deal) {
  const won = state.players.find(({ id }) => id === state.winner);
  const isYou = won !== undefined && won.id === state.you;
  return h(
    "div",
    { class: "winner", "data-testid": "winner", "data-player": state.winner, key: "winner" },
    h("p", { class: "winner-name" },
      isYou ? "You have won!" : `${won?.name ?? "A player"} has won`),
    state.you !== null
      ? h("button", {
        class: "button primary",
        type: "button",
        "data-testid": "deal",
        onclick: deal,
      }, "Deal again")
      : h("p", { class: "felt-soft" }, "The players may deal again."),
  );
}
