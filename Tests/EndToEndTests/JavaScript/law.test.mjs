/**
 * Two mirrors and a server with a network that loses requests, answers and streams, or swallows them in
 * silence, by a clock that the test turns: whatever happens, an action is never shown twice, and one that
 * is shown stays so until it is refused, or has no answer for the time that a state waits.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock } from "./clock.mjs";
import { Forecast } from "../../../Sources/CPages/client/forecast.js";
import { Mirror } from "../../../Sources/CPages/client/statecast.js";

const clock = new Clock();

/** The same numbers from the same seed (mulberry32). */
function numbers(seed) {
  return (limit) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let word = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) % limit;
  };
}

/**
 * Keeps a list without doubles, refuses what it is told to, and answers a repeated key as the first time.
 * Now and then it starts again, in another epoch.
 */
class Server {
  items = [];
  epoch = 0;
  version = 0;
  /** The last version that has changed the list: streams tell of no other. */
  told = 0;
  streams = new Set();
  answers = new Map();

  constructor(random) {
    this.random = random;
  }

  fetch = async (url, { method = "GET", headers, body, signal }) => {
    await clock.pause(this.random(80));
    if (signal?.aborted) throw signal.reason;
    if (this.random(6) === 0) throw new TypeError("the request was lost");
    const isAction = method === "POST";
    if (isAction) await this.hang(signal);
    const response = isAction ? this.act(headers.get("Idempotency-Key"), body) : this.stream(url);
    await clock.pause(this.random(80));
    if (isAction && this.random(6) === 0) throw new TypeError("the answer was lost");
    if (isAction) await this.hang(signal);
    return response;
  };

  /** Says nothing any more, in one of six. */
  hang(signal) {
    if (this.random(6) > 0) return undefined;
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }

  act(key, body) {
    if (!this.answers.has(key)) this.answers.set(key, this.reduce(JSON.parse(body)));
    const { status, ...content } = this.answers.get(key);
    return new Response(JSON.stringify(content), { status, headers: { ETag: `"${content.token}"` } });
  }

  reduce({ payload: { name, isRefused } }) {
    if (this.random(12) === 0) this.restart();
    const { token } = this;
    if (isRefused) return { status: 422, type: "/problems/rejected/no", token };
    this.version += 1;
    const changed = !this.items.includes(name);
    if (changed) this.add(name);
    return { status: 200, version: this.version, token: this.token, changed };
  }

  get token() {
    return `e${this.epoch}-${this.version}`;
  }

  add(name) {
    this.items = [...this.items, name];
    const patch = { from: this.told, version: this.version, ops: [
      { op: "add", path: `/items/${this.items.length - 1}`, value: name },
    ] };
    this.told = this.version;
    for (const stream of this.streams) this.say(stream, "patch", patch);
  }

  restart() {
    this.epoch += 1;
    this.version = this.told = this.random(5);
    for (const stream of this.streams) this.lose(stream);
  }

  lose(stream) {
    if (this.streams.delete(stream)) stream.controller.error(new TypeError("the stream was lost"));
  }

  stream(url) {
    const [, epoch, last] = /last_event_id=e(\d+)-(\d+)/.exec(url) ?? [];
    const isPresent = epoch === `${this.epoch}` && last >= this.told;
    let stream;
    const body = new ReadableStream({ start: (controller) => (stream = { controller, at: clock.now }) });
    this.streams.add(stream);
    if (isPresent) this.write(stream, `id: ${this.token}\n\n`);
    else this.say(stream, "snapshot", { version: this.version, state: { items: this.items } });
    setTimeout(() => this.lose(stream), 200 + this.random(6_000));
    return new Response(body);
  }

  say(stream, type, content) {
    const data = JSON.stringify(content);
    this.write(stream, `event: ${type}\nid: e${this.epoch}-${content.version}\ndata: ${data}\n\n`);
  }

  /** Events of a stream keep their order, and come when they come. */
  write(stream, text) {
    stream.at = Math.max(stream.at, clock.now + this.random(120));
    setTimeout(() => {
      if (this.streams.has(stream)) stream.controller.enqueue(new TextEncoder().encode(text));
    }, stream.at - clock.now);
  }
}

/** Looks at what a mirror shows of its own actions. */
class Watcher {
  /** When each was sent; one that has its answer stays for ever, and for a second if it changed nothing. */
  shown = new Map();
  refused = new Set();
  faults = [];

  look(items) {
    if (new Set(items).size < items.length) this.faults.push(`shown twice: ${items}`);
    for (const [name, sent] of this.shown) {
      if (!items.includes(name) && !this.refused.has(name) && clock.now < sent + 15_000) {
        this.faults.push(`${name} is missing: ${items}`);
      }
    }
  }
}

const added = (state, { payload: { name } }) => ({ ...state, items: [...state.items, name] });

async function run(seed) {
  const random = numbers(seed);
  const server = new Server(random);
  const predict = (state, action) =>
    state.items.includes(action.payload.name) ? state : added(state, action);
  const faults = [];
  let open = 0;
  const mirrors = ["a", "b"].map((who) => {
    const options = { fetch: server.fetch, predict, attempts: 30 };
    const mirror = new Mirror("http://law.test/list", "home", options);
    const watcher = new Watcher();
    mirror.subscribe(() => mirror.state && watcher.look(mirror.state.items));
    faults.push(watcher.faults);
    const act = async (number) => {
      await clock.pause(random(600));
      const isCommon = random(4) === 0;
      const name = isCommon ? `both${number}` : `${who}${number}`;
      const isRefused = !isCommon && random(5) === 0;
      const answer = mirror.dispatch({ type: "added", payload: { name, isRefused } });
      if (mirror.state) watcher.shown.set(name, clock.now);
      if (isRefused) watcher.refused.add(name);
      await answer.then(
        ({ changed }) => {
          if (changed) watcher.shown.set(name, Infinity);
          else if (clock.now < watcher.shown.get(name) + 15_000) watcher.shown.set(name, clock.now - 14_000);
        },
        ({ code }) => assert.equal(code, "no"),
      );
      open -= 1;
    };
    for (let number = 0; number < 6; number += 1) act(number, (open += 1));
    return mirror;
  });
  await clock.turnUntil(() => open === 0 && mirrors.every((mirror) =>
    mirror.token?.startsWith(`e${server.epoch}-`) && mirror.version >= server.told));
  await clock.turnUntil(() => mirrors.every(({ pending }) => pending === 0));
  // What was refused is shown for a second, where its state does not come.
  let isOver = false;
  clock.pause(1_000).then(() => (isOver = true));
  await clock.turnUntil(() => isOver);
  assert.deepEqual(faults, [[], []]);
  for (const mirror of mirrors) {
    assert.deepEqual(mirror.state.items, server.items);
    assert.equal(mirror.pending, 0);
    mirror.close();
  }
  clock.reset();
}

/** More of them by `SEEDED_RUNS`. */
const runs = Number(process.env.SEEDED_RUNS ?? 60);

test("two mirrors over a bad network show each action once, and end alike", async () => {
  for (let seed = 0; seed < runs; seed += 1) {
    await run(seed).catch((error) => {
      throw new Error(`seed ${seed}: ${error.message}`);
    });
  }
});

test("where the server agrees, each action is shown once, and nothing else", async () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const random = numbers(seed);
    // Nothing is lost, but streams end.
    const server = new Server((limit) => 1 + random(limit - 1));
    const mirror = new Mirror("http://law.test/list", "home", { fetch: server.fetch, predict: added });
    let shown = 0;
    mirror.subscribe(() => (shown += 1));
    await clock.turnUntil(() => mirror.state);
    for (let number = 0; number < 6; number += 1) {
      void clock.pause(random(1_000)).then(() =>
        mirror.dispatch({ type: "added", payload: { name: `${number}` } }));
    }
    await clock.turnUntil(() => mirror.version === 6 && mirror.pending === 0);
    assert.deepEqual([shown, mirror.state], [7, { items: server.items }], `seed ${seed}`);
    mirror.close();
    clock.reset();
  }
});

const adds = (name) => (items) => [...items, name];

/** A forecast on top of a state, what it shows as it goes, and which tokens a state includes. */
function foreseen() {
  const seen = [];
  const included = new Set();
  const includes = (token) => included.has(token);
  const forecast = new Forecast(() => seen.push(forecast.shown.join()));
  forecast.confirm([], includes);
  return { forecast, seen, included, includes };
}

test("an action without an answer is left out of a state that has waited, and counts once", async () => {
  const { forecast, seen, included, includes } = foreseen();
  const own = forecast.add(adds("a"));
  own.isUnderWay = true;
  const began = clock.now;
  forecast.confirm(["b", "a"], includes);
  assert.deepEqual(forecast.shown, ["a"]);
  // One that is given up before it was sent shows nothing that waits.
  forecast.answered(forecast.add(adds("c")), null, includes);
  assert.deepEqual(forecast.shown, ["a"]);
  await clock.turnUntil(() => seen.length === 1);
  assert.deepEqual([clock.now - began, seen], [15_000, ["b,a"]]);
  // Those that come then do not wait.
  forecast.confirm(["b", "a", "d"], includes);
  assert.deepEqual(forecast.shown, ["b", "a", "d"]);
  forecast.answered(own, "e-9", includes);
  assert.deepEqual(forecast.shown, ["b", "a", "d", "a"], "the answer says that it is yet to come");
  included.add("e-9");
  forecast.confirm(["b", "a", "d"], includes);
  assert.deepEqual([forecast.shown, forecast.count], [["b", "a", "d"], 0]);
});

test("where no state comes, so many answered actions are remembered and no more", () => {
  const { forecast, includes } = foreseen();
  for (let count = 0; count < 1_010; count += 1) {
    forecast.answered(forecast.add(undefined), `e-${count}`, includes);
  }
  assert.equal(forecast.count, 1_000);
});
