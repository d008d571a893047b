/** A clock that a test turns: to be imported before what sets timers. */
import assert from "node:assert/strict";

let time = 0;
let count = 0;
const timers = new Map();
globalThis.setTimeout = (work, milliseconds = 0) => {
  timers.set(++count, { at: time + milliseconds, work });
  return count;
};
globalThis.clearTimeout = (timer) => timers.delete(timer);

/** In milliseconds since the test began. */
export const now = () => time;
export const reset = () => timers.clear();
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Turns the clock until a condition holds. */
export async function turnUntil(condition) {
  for (let steps = 0; steps < 100_000; steps += 1) {
    for (let round = 0; round < 3; round += 1) await new Promise(setImmediate);
    if (condition()) return;
    let next;
    for (const each of timers) if (!next || each[1].at < next[1].at) next = each;
    assert.ok(next, "nothing will happen any more");
    timers.delete(next[0]);
    time = Math.max(time, next[1].at);
    next[1].work();
  }
  assert.fail("never");
}
