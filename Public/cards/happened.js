/** What happened between two states of a table, in a sentence. */
import { nameOf } from "./deck.js";

/**
 * @typedef {import("./wire.js").Table} Table
 * @typedef {import("./wire.js").Player} Player
 */

/**
 * @param {Table} before
 * @param {Table} after
 * @param {number} now In milliseconds since 1970, by the server's clock.
 * @returns {string | null} null where nothing happened that a player is told of.
 */
export function happened(before, after, now) {
  if (after.phase === "won" && before.phase !== "won") return won(after);
  if (after.phase === "playing" && before.phase !== "playing") {
    return `The cards are dealt. ${begins(after)}`;
  }
  return seating(before, after) ?? move(before, after, now);
}

/** @param {Table} table */
function won(table) {
  const winner = table.players.find(({ id }) => id === table.winner);
  if (!winner) return "The game is over.";
  return isYou(winner, table) ? "You have won." : `${winner.name} has won.`;
}

/** @param {Table} table */
function begins(table) {
  const first = table.players.find(({ id }) => id === table.turn?.player);
  if (!first) return "";
  return isYou(first, table) ? "You begin." : `${first.name} begins.`;
}

/**
 * @param {Table} before
 * @param {Table} after
 */
function seating(before, after) {
  for (const player of after.players) {
    const last = before.players.find(({ id }) => id === player.id);
    const name = isYou(player, after) ? "You" : player.name;
    if (!last) return `${name} sat down.`;
    if (!last.away && player.away) return `${name} left, and the clock plays on.`;
    if (last.away && !player.away) return `${name} came back.`;
  }
  const gone = before.players.find(({ id }) => !after.players.some((player) => player.id === id));
  return gone ? `${gone.name} left.` : null;
}

/**
 * @param {Table} before
 * @param {Table} after
 * @param {number} now
 */
function move(before, after, now) {
  const turn = before.turn;
  const last = before.players.find(({ id }) => id === turn?.player);
  const player = after.players.find(({ id }) => id === turn?.player);
  if (!turn || !last || !player || turn.ends === after.turn?.ends) return null;
  const name = isYou(player, after) ? "You" : player.name;
  const whose = isYou(player, after) ? "Your" : `${player.name}’s`;
  if (player.cards < last.cards && after.top !== null) {
    return `${name} played the ${nameOf(after.top)}.`;
  }
  if (now >= turn.ends - 500) return `${whose} time was up, and the clock drew a card.`;
  return player.cards > last.cards ? `${name} drew a card.` : `${name} passed.`;
}

/**
 * @param {Player} player
 * @param {Table} table
 */
const isYou = (player, table) => player.id === table.you;
