import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerClock } from "../../../Sources/CPages/client/clock.js";
import { EventReader } from "../../../Sources/CPages/client/events.js";
import { Mirror, connectDevTools } from "../../../Sources/CPages/client/statecast.js";
import { Stage, add, adds, mirrors, opened, set, settled, until } from "./stage.mjs";

test("a stream of patches begins with a snapshot, and tells of each state", async () => {
  const { mirror, stream, told } = await opened({ a: { x: 1 }, b: [1] });
  const first = mirror.state;
  assert.equal(stream.request.query, "patch=json-patch");
  assert.equal(stream.request.headers.get("Accept"), "text/event-stream");
  await stream.patch("e-6", 4, 6, set("/b/0", 2));
  await stream.patch("e-9", 5, 9, set("/b/0", 3), { op: "add", path: "/c", value: 1 });
  assert.deepEqual(told, [
    'e-4 {"a":{"x":1},"b":[1]}', 'e-6 {"a":{"x":1},"b":[2]}', 'e-9 {"a":{"x":1},"b":[3],"c":1}',
  ]);
  assert.equal(mirror.state.a, first.a);
  assert.equal(mirror.version, 9);
});

test("a stream may be asked for at a pace", async () => {
  const { mirror, stage, stream } = await opened({ n: 4 }, { throttle: 250, select: "/n" });
  assert.equal(stream.request.query, "select=%2Fn&throttle=250&patch=json-patch");
  const asked = stage.next("/state");
  mirror.setMode("poll");
  assert.equal((await asked).query, "select=%2Fn");
});

const gaps = {
  "from later": (stream) => stream.patch("e-8", 5, 8, set("/n", 8)),
  "to the same": (stream) => stream.patch("e-4", 3, 4, set("/n", 8)),
  "another epoch": (stream) => stream.patch("f-8", 4, 8, set("/n", 8)),
  "another viewer": (stream) => stream.patch("e-8.b", 4, 8, set("/n", 8)),
  "no such member": (stream) => stream.patch("e-8", 4, 8, set("/none", 8)),
  "half of it": (stream) =>
    stream.patch("e-8", 4, 8, set("/n", 8), { op: "remove", path: "/n/n" }),
  "no JSON": (stream) => stream.say("patch", "e-8", '{"from":4'),
  "no object": (stream) => stream.say("patch", "e-8", "null"),
  "no operations": (stream) => stream.say("patch", "e-8", { from: 4, version: 8 }),
};
for (const [name, say] of Object.entries(gaps)) {
  test(`a gap (${name}) is closed by a snapshot of a new stream`, async () => {
    const { mirror, stage, stream, told } = await opened({ n: 4, same: {} });
    const { same } = mirror.state;
    const again = stage.next("/events");
    await say(stream);
    assert.deepEqual(mirror.state, { n: 4, same: {} });
    const request = await again;
    assert.equal(request.query, "patch=json-patch");
    await request.stream().begin({ n: 8, same: {} }, 8);
    assert.equal(told.at(-1), 'e-8 {"n":8,"same":{}}');
    assert.equal(mirror.state.same, same);
  });
}

test("another viewer's state at the same version is news", async () => {
  const { stream, told } = await opened();
  await stream.say("snapshot", "e-5.a", { version: 5, state: { seat: "a", cards: [1] } });
  await stream.say("snapshot", "e-5.b", { version: 5, state: { seat: "b", cards: [2] } });
  await stream.patch("e-9.b", 5, 9, { op: "add", path: "/cards/1", value: 7 });
  assert.equal(told.at(-1), 'e-9.b {"seat":"b","cards":[2,7]}');
});

test("a broken stream goes on from what is shown", async () => {
  const { stage, stream, told, phases } = await opened({ n: 4 });
  const again = stage.next("/events");
  await stream.break();
  const request = await again;
  assert.equal(request.query, "patch=json-patch&last_event_id=e-4");
  await request.stream().patch("e-7", 4, 7, set("/n", 7));
  assert.equal(told.at(-1), 'e-7 {"n":7}');
  assert.deepEqual(phases, ["connecting", "live", "reconnecting", "reconnecting", "live"]);
});

test("states of a server that knows no patches keep what is equal", async () => {
  const { mirror, stream } = await opened();
  await stream.say("message", "e-1", { n: 1, same: {} });
  const { same } = mirror.state;
  await stream.say("message", "e-2", { n: 2, same: {} });
  assert.equal(mirror.state.n, 2);
  assert.equal(mirror.state.same, same);
});

test("a part that goes out of scope calls listeners with undefined, and comes back", async () => {
  const { mirror, stream, told } = await opened({ n: 4 }, { select: "/part" });
  let count = 0;
  mirror.subscribe(() => (count += 1));
  await stream.say("out-of-scope", "e-5.x", {});
  assert.equal(told.at(-1), "e-5.x undefined");
  assert.deepEqual([mirror.getState(), mirror.status.phase, count], [undefined, "outOfScope", 1]);
  await stream.say("snapshot", "e-6.x", { version: 6, state: { n: 6 } });
  assert.deepEqual([mirror.getState(), mirror.status.phase, count], [{ n: 6 }, "live", 2]);
});

test("an id alone says that the action is included although nothing changed", async () => {
  const { mirror, stream, told } = await opened({ n: 4 });
  assert.equal(mirror.includes("e-5"), false);
  await stream.write("id: e-5\n\n");
  assert.equal(mirror.includes("e-5"), true);
  assert.equal(told.length, 1);
});

test("a session that the server has not is reported, and made by nobody", async () => {
  const { mirror, stage, stream, phases } = await opened({ n: 4 });
  const again = stage.next("/events");
  await stream.end();
  (await again).refuse(404, "session-not-found", { detail: "There is no such session." });
  await until(() => mirror.status.phase === "lost");
  assert.equal(mirror.status.problem.detail, "There is no such session.");
  assert.deepEqual(mirror.state, { n: 4 });
  assert.ok(stage.requests.every(({ init }) => (init.method ?? "GET") === "GET"));
  const begun = stage.next("/events");
  mirror.restart();
  assert.equal(mirror.state, undefined);
  const request = await begun;
  assert.equal(request.query, "patch=json-patch");
  await request.stream().say("snapshot", "f-0", { version: 0, state: { n: 0 } });
  assert.deepEqual([mirror.state.n, phases.at(-1)], [0, "live"]);
});

test("what was refused is asked for again only by a restart", async () => {
  const page = new EventTarget();
  globalThis.addEventListener = page.addEventListener.bind(page);
  const { mirror, stage, stream } = await opened({ n: 4 });
  delete globalThis.addEventListener;
  const denied = stage.next("/events");
  await stream.end();
  (await denied).refuse(401, "unauthenticated");
  await until(() => mirror.status.phase === "unauthorized");
  const count = stage.requests.length;
  page.dispatchEvent(new Event("online"));
  assert.equal(stage.requests.length, count);
  const again = stage.next("/events");
  mirror.restart();
  await (await again).stream().begin({ n: 5 }, 5);
  assert.deepEqual([mirror.state.n, mirror.status.phase], [5, "live"]);
});

test("no access and an end stop it, a refusal for now does not", async () => {
  for (const [status, code, phase] of [
    [401, "unauthenticated", "unauthorized"], [403, "forbidden", "unauthorized"],
    [410, "session-ended", "ended"], [400, "bad-parameter", "refused"], [503, "busy", "reconnecting"],
    [423, "unreadable", "reconnecting"], [500, "route-failed", "reconnecting"],
    [404, "session-not-found", "lost"], [404, "not-found", "refused"],
  ]) {
    const { mirror, stage, stream } = await opened({ n: 4 });
    const again = stage.next("/events");
    await stream.end();
    (await again).refuse(status, code);
    await until(() => mirror.status.problem !== undefined);
    assert.equal(mirror.status.phase, phase, code);
    mirror.close();
  }
  const proxied = await opened({ n: 4 });
  for (const status of [404, 403]) {
    const again = proxied.stage.next("/events");
    if (status === 404) await proxied.stream.end();
    (await again).answer(status);
    await until(() => proxied.mirror.status.problem?.status === status);
    assert.equal(proxied.mirror.status.phase, "reconnecting", `a proxy's ${status}`);
  }
  proxied.mirror.close();
});

test("access that is withdrawn is asked for once more, by fields that may be new", async () => {
  let name = "old";
  const { mirror, stage, stream } = await opened({ n: 4 }, { headers: () => ({ Authorization: name }) });
  const again = stage.next("/events");
  name = "new";
  await stream.say("unauthorized", "", {});
  const request = await again;
  assert.equal(request.headers.get("Authorization"), "new");
  const next = request.stream();
  await next.patch("e-5", 4, 5, set("/n", 5));
  assert.deepEqual([mirror.state, mirror.status.phase], [{ n: 5 }, "live"]);
  const last = stage.next("/events");
  await next.say("unauthorized", "", {});
  await (await last).stream().say("unauthorized", "", {});
  assert.equal(mirror.status.phase, "unauthorized");
});

test("fields that cannot be given are a problem that the status tells", async () => {
  const stage = new Stage();
  const mirror = new Mirror("http://stage.test/list", "home", {
    fetch: stage.fetch, headers: () => {
      throw new Error("no token");
    },
  });
  mirrors.push(mirror);
  await until(() => mirror.status.problem);
  const { phase, problem } = mirror.status;
  assert.deepEqual([phase, problem.detail, stage.requests.length], ["reconnecting", "no token", 0]);
});

test("a part that is out of scope stays so behind a new connection", async () => {
  const { mirror, stage, stream } = await opened({ n: 4 }, { select: "/part" });
  await stream.say("out-of-scope", "e-5.x", {});
  const again = stage.next("/events");
  await stream.end();
  await (await again).stream().say("out-of-scope", "e-5.x", {});
  assert.deepEqual([mirror.state, mirror.status.phase], [undefined, "outOfScope"]);
});

test("signing in begins anew: other fields, another person, nothing of the one before", async () => {
  let name = "ann";
  const { mirror, stage, stream, told } = await opened({ n: 4 }, {
    headers: async () => ({ Authorization: `Bearer ${name}` }), credentials: "include",
  });
  assert.equal(stream.request.headers.get("Authorization"), "Bearer ann");
  assert.equal(stream.request.init.credentials, "include");
  const given = mirror.dispatch(add).catch((error) => error.name);
  name = "bob";
  const begun = stage.next("/events");
  mirror.restart({ select: "/mine" });
  assert.equal(await given, "AbortError");
  assert.equal(told.at(-1), " undefined");
  const request = await begun;
  assert.equal(request.headers.get("Authorization"), "Bearer bob");
  assert.equal(request.query, "select=%2Fmine&patch=json-patch");
});

test("a part that a function selects calls back when it is another one", async () => {
  const { mirror, stream } = await opened({ items: [{ done: true, name: "Milk" }], n: 1 });
  const done = mirror.select(({ items }) => items.filter((item) => item.done));
  let count = 0;
  const stop = done.subscribe(() => (count += 1));
  const first = done.getState();
  await stream.patch("e-5", 4, 5, set("/n", 2));
  assert.equal(done.getState(), first);
  await stream.patch("e-6", 5, 6, set("/items/0/done", false));
  assert.deepEqual([done.getState(), count], [[], 1]);
  stop();
  await stream.patch("e-7", 6, 7, set("/items/0/done", true));
  assert.equal(count, 1);
});

test("what a listener throws reaches neither the others nor the connection", async () => {
  const thrown = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => thrown.push(error.message));
  const { mirror, stream, told } = await opened({ n: 4 });
  mirror.subscribe(() => {
    throw new Error("a listener's");
  });
  mirror.onState((state, token) => told.push(`second ${token}`));
  await stream.patch("e-5", 4, 5, set("/n", 5));
  assert.deepEqual([told.at(-1), mirror.status.phase], ["second e-5", "live"]);
  await settled();
  assert.deepEqual(thrown, ["a listener's"]);
  process.removeAllListeners("uncaughtException");
  for (const listener of listeners) process.on("uncaughtException", listener);
});

test("a closed mirror gives up what is on its way, and does nothing more", async () => {
  const { mirror, stage, stream, told, phases } = await opened({ items: [] }, { predict: adds });
  const sent = stage.next("/actions");
  const answer = mirror.dispatch(add).catch((error) => error.name);
  await sent;
  mirror.close();
  const count = told.length;
  assert.equal(await answer, "AbortError");
  assert.deepEqual([mirror.state.items, phases.at(-1), told.length], [[], "closed", count]);
  assert.equal(stream.request.init.signal.aborted, true);
  const requests = stage.requests.length;
  assert.equal(await mirror.dispatch(add).catch((error) => error.name), "AbortError");
  assert.throws(() => mirror.restart(), { name: "AbortError" });
  assert.throws(() => mirror.setMode("poll"), { name: "AbortError" });
  assert.equal(mirror.status.phase, "closed");
  await settled();
  assert.equal(stage.requests.length, requests);
});

test("the server's clock is found from whole seconds", () => {
  const clock = new ServerClock();
  const at = (second) => new Date(second * 1_000).toUTCString();
  clock.learn(at(100), 99_500, 99_600);
  assert.equal(clock.offset, 950);
  clock.learn(at(101), 100_900, 101_000);
  assert.equal(clock.offset, 0 + Math.round((400 + 1_100) / 2));
  clock.learn(null, 0, 0);
  clock.learn(at(500), 100_000, 100_200);
  assert.ok(Math.abs(clock.offset - 400_400) <= 600);
  clock.learn(at(100), 100_100, 100_200);
  assert.equal(clock.offset, 0);
});

test("events are read from whatever pieces they come in", () => {
  const text = "retry: 2000\n\nid: e-1\ndata: {\"n\":1}\n\n: note\nevent: patch\r\nid: e-2\r\n" +
    "data: a\r\ndata: b\r\n\r\nevent: ping\ndata: {}\n\nid: e-3\n\n";
  const expected = [
    { type: "message", id: "e-1", data: '{"n":1}' }, { type: "patch", id: "e-2", data: "a\nb" },
    { type: "ping", id: "e-2", data: "{}" }, { type: "message", id: "e-3", data: "" },
  ];
  for (let size = 1; size <= text.length; size += 1) {
    const reader = new EventReader();
    const events = [];
    for (let start = 0; start < text.length; start += size) {
      events.push(...reader.read(text.slice(start, start + size)));
    }
    assert.deepEqual(events, expected, `pieces of ${size}`);
  }
});

test("the DevTools see actions and states, and jump between states", async () => {
  const { mirror, stage, stream } = await opened({ items: [] }, { predict: adds });
  const seen = [];
  let hear;
  const extension = {
    connect: ({ name }) => ({
      init: (state) => seen.push([name, state]),
      send: ({ type }, state) => seen.push([type, state.items.length]),
      subscribe: (listener) => {
        hear = listener;
      },
    }),
  };
  const stop = connectDevTools(mirror, { extension });
  const sent = stage.next("/actions");
  const answer = mirror.dispatch(add);
  const request = await sent;
  await stream.patch("e-5", 4, 5, { op: "add", path: "/items/0", value: { name: "Milk" } });
  request.accept(5);
  await answer;
  await stream.patch("e-6", 5, 6, { op: "remove", path: "/items/0" });
  const heard = "statecast/heard";
  assert.deepEqual(seen, [["home", { items: [] }], ["added", 1], [heard, 1], [heard, 0]]);
  hear({ type: "DISPATCH", payload: { type: "JUMP_TO_ACTION" }, state: '{"items":[1,2]}' });
  assert.deepEqual(mirror.getState(), { items: [1, 2] });
  for (const payload of [undefined, null, {}]) hear({ type: "DISPATCH", payload });
  hear({ type: "DISPATCH", payload: { type: "RESET" } });
  assert.deepEqual(mirror.getState(), { items: [] });
  assert.equal(seen.length, 4);
  stop();
  assert.equal(typeof connectDevTools(mirror), "function");
});
