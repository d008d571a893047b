import assert from "node:assert/strict";

/** A clock that a test turns, in place of the timers: Node's own is another one with each version. */
export class Clock {
  /** In milliseconds since the test began. */
  now = 0;
  #count = 0;
  #timers = new Map();
  #own = { setTimeout, clearTimeout };

  constructor() {
    globalThis.setTimeout = (work, milliseconds = 0) => {
      this.#timers.set(++this.#count, { at: this.now + milliseconds, work });
      return this.#count;
    };
    globalThis.clearTimeout = (timer) => this.#timers.delete(timer) || this.#own.clearTimeout(timer);
  }

  /** Gives the timers back, and forgets those that wait. */
  end() {
    this.reset();
    Object.assign(globalThis, this.#own);
  }

  reset() {
    this.#timers.clear();
  }

  pause(milliseconds) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** Goes on by so much, once all is done that waits for no clock. */
  async turn(milliseconds) {
    await happened();
    const end = this.now + milliseconds;
    while (this.#next(end)) await happened();
    this.now = end;
  }

  /** Turns the clock until a condition holds. */
  async turnUntil(condition) {
    for (let steps = 0; steps < 100_000; steps += 1) {
      await happened(3);
      if (condition()) return;
      assert.ok(this.#next(Infinity), "nothing will happen any more");
    }
    assert.fail("never");
  }

  /** Does what is due first, up to a time. */
  #next(end) {
    let next;
    for (const each of this.#timers) if (!next || each[1].at < next[1].at) next = each;
    if (!next || next[1].at > end) return false;
    this.#timers.delete(next[0]);
    this.now = Math.max(this.now, next[1].at);
    next[1].work();
    return true;
  }
}

async function happened(rounds = 20) {
  for (let round = 0; round < rounds; round += 1) await new Promise(setImmediate);
}
