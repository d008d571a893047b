/** The server's time as the page reckons it, and the ring that runs down with a turn. */
import { clockOf } from "/client/statecast.js";
import { h } from "/client/ui/dom.js";

/** How long a turn is unless it is seen to be longer, in milliseconds. */
const usualTurn = 30_000;
const circumference = 2 * Math.PI * 20;

export const serverNow = () => clockOf().now();

/**
 * @param {import("./wire.js").Turn} turn
 * @returns {number} Whole seconds, never below 0.
 */
export const secondsLeft = ({ ends }) => Math.max(0, Math.ceil((ends - serverNow()) / 1_000));

/**
 * The ring around a player's picture, full when the turn begins.
 * @param {import("./wire.js").Turn} turn
 */
export function ring(turn) {
  const left = Math.max(0, turn.ends - serverNow());
  const part = Math.min(1, left / usualTurn);
  return h(
    "svg",
    { class: "ring", viewBox: "0 0 44 44", "aria-hidden": "true", key: `ring-${turn.ends}` },
    h("circle", { class: "ring-track", cx: 22, cy: 22, r: 20 }),
    h("circle", {
      class: "ring-left",
      cx: 22,
      cy: 22,
      r: 20,
      "stroke-dasharray": circumference.toFixed(2),
      "stroke-dashoffset": (circumference * (1 - part)).toFixed(2),
    }),
  );
}
