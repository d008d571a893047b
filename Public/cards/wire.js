/**
 * How the lobby and the tables look on the wire, and nowhere else in the page.
 *
 * A card is a number from 0 to 51: 13 clubs, 13 diamonds, 13 hearts, 13 spades, each from the ace
 * to the king. A table's state is another for each viewer: only `hand` has cards that lie hidden,
 * and they are the viewer's own.
 *
 * @typedef {{ id: string, name: string }} Person
 * @typedef {"waiting" | "playing" | "won"} Phase
 * @typedef {{ id: string, name: string, seats: number, players: string[], phase: Phase,
 *   openedBy: string }} Summary
 * @typedef {{ tables: Summary[], opening: string[] }} Lobby
 * @typedef {{ id: string, name: string, cards: number, present: boolean, away: boolean }} Player
 * @typedef {{ id: string, from: string, text: string, at: number }} Line
 * @typedef {{ player: string, ends: number }} Turn `ends` in milliseconds since 1970.
 *
 * @typedef {object} Table
 * @property {string} name
 * @property {Phase} phase
 * @property {number} seats
 * @property {string | null} you The viewer's id; null for who only watches.
 * @property {Player[]} players In the order of their turns.
 * @property {number[]} hand
 * @property {number | null} top The card that lies open.
 * @property {number} drawCount
 * @property {Turn | null} turn
 * @property {string | null} winner
 * @property {Line[]} chat
 */

/** Where the applications are mounted, and the one session of the lobby. */
export const mounts = { lobby: "/cards/lobby", tables: "/cards/tables" };
export const lobbyID = "lobby";

/**
 * @param {any} wire
 * @returns {Lobby}
 */
export const lobbyOf = (wire) => ({ tables: wire.tables ?? [], opening: wire.opening ?? [] });

/**
 * @param {any} wire
 * @returns {Table}
 */
export const tableOf = (wire) => ({
  name: wire.name,
  phase: wire.phase,
  seats: wire.seats,
  you: wire.you ?? null,
  players: wire.players ?? [],
  hand: wire.hand ?? [],
  top: wire.top ?? null,
  drawCount: wire.drawCount ?? 0,
  turn: wire.turn ?? null,
  winner: wire.winner ?? null,
  chat: wire.chat ?? [],
});

/**
 * Whether somebody may sit down who was not here before.
 * @param {Table} table
 */
export const hasFreeSeat = ({ phase, players, seats }) =>
  phase !== "playing" && players.length < seats;

/**
 * Whether it is the viewer's turn.
 * @param {Table} table
 */
export const isTurn = ({ you, turn, phase }) =>
  phase === "playing" && you !== null && turn?.player === you;

/** What the page sends. */
export const actions = {
  /**
   * @param {string} name
   * @param {number} seats
   */
  opened: (name, seats) => ({ type: "opened", payload: { name, seats } }),
  /** @param {string} name */
  sat: (name) => ({ type: "sat", payload: { name } }),
  left: () => ({ type: "left" }),
  dealt: () => ({ type: "dealt" }),
  /** @param {number} card */
  played: (card) => ({ type: "played", payload: { card } }),
  drew: () => ({ type: "drew" }),
  /** @param {string} text */
  said: (text) => ({ type: "said", payload: { text } }),
};
