import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createSession, openSession, request } from "../../../Sources/CPages/client/statecast.js";
import { Stage, add, adds, mirrors, opened, set, settled } from "./stage.mjs";
import { Clock } from "./clock.mjs";

test("a condition and listeners name the state that is shown, not one that waits", async () => {
  const { mirror, stage, stream, told } = await opened(undefined, { predict: adds });
  const early = mirror.dispatch(add, { ifMatch: true }).catch((error) => error);
  assert.equal((await early).name, "TypeError");
  await stream.begin({ items: [] });
  const sent = stage.next("/actions");
  const answer = mirror.dispatch(add);
  const request = await sent;
  await stream.patch("e-5", 4, 5, { op: "add", path: "/items/0", value: { name: "Milk" } });
  assert.deepEqual([mirror.token, mirror.includes("e-5"), mirror.includes("e-4")], ["e-5", false, true]);
  const other = { type: "added", payload: { name: "Tea" } };
  const next = stage.next("/actions");
  const conditional = mirror.dispatch(other, { ifMatch: true });
  other.payload.name = "Jam";
  assert.equal(told.at(-1).split(" ")[0], "e-4");
  request.accept(5);
  await answer;
  const { headers, body } = await next;
  assert.deepEqual([headers.get("If-Match"), JSON.parse(body).payload.name], ['"e-4"', "Tea"]);
  assert.deepEqual([mirror.includes("e-5"), told.at(-1).split(" ")[0]], [true, "e-5"]);
  conditional.catch(() => {});
  mirror.close();
});

test("a refusal for long is told, and does not hold the next action up", async () => {
  const { mirror, stage } = await opened({ items: [] }, { timeout: 1_000 });
  const first = stage.next("/actions");
  const answer = mirror.dispatch(add).catch((error) => error);
  const next = mirror.dispatch({ type: "cleared" });
  (await first).refuse(503, "too-many-keys", {}, { "Retry-After": "60" });
  const { code, retryAfter, reaction } = await answer;
  assert.deepEqual([code, retryAfter, reaction], ["too-many-keys", 60_000, "again"]);
  (await stage.next("/actions")).accept(5);
  assert.equal((await next).version, 5);
});

test("actions keep their order, and one that stalls is sent again with its key", async () => {
  const { mirror, stage } = await opened({ items: [] }, { timeout: 20 });
  const first = stage.next("/actions");
  const answers = [mirror.dispatch(add), mirror.dispatch({ type: "cleared" })];
  const stalled = await first;
  const repeat = await stage.next("/actions");
  assert.equal(stalled.init.signal.aborted, true);
  assert.equal(repeat.headers.get("Idempotency-Key"), stalled.headers.get("Idempotency-Key"));
  assert.equal(repeat.body, JSON.stringify(add));
  const second = stage.next("/actions");
  repeat.accept(5);
  assert.equal((await answers[0]).version, 5);
  const other = await second;
  assert.equal(other.body, '{"type":"cleared"}');
  other.accept(6);
  assert.equal((await answers[1]).token, "e-6");
});

test("what was answered is let go of when the next action is", async () => {
  setFlagsFromString("--expose-gc");
  const { mirror, stage } = await opened({ items: [] });
  const act = async (version) => {
    const sent = stage.next("/actions");
    const answer = mirror.dispatch(add);
    (await sent).accept(version);
    return new WeakRef(await answer);
  };
  const [first] = [await act(5), await act(6), await act(7)];
  stage.requests = [];
  await settled();
  runInNewContext("gc")();
  assert.equal(first.deref(), undefined);
});

test("an action that nobody answers is given up, and the next ones go on", async () => {
  const { mirror, stage } = await opened({ items: [] }, { timeout: 5, attempts: 1 });
  const answers = [mirror.dispatch(add), mirror.dispatch(add)];
  const second = stage.next("/actions").then(() => stage.next("/actions"));
  const error = await answers[0].catch((error) => error);
  assert.deepEqual([error.status, error.code, error.reaction], [0, "timeout", "again"]);
  (await second).accept(5);
  assert.equal((await answers[1]).version, 5);
});

test("an action that waits can be given up at once, and holds nobody up", async () => {
  const { mirror, stage } = await opened({ items: [] });
  const sent = stage.next("/actions");
  const giving = new AbortController();
  const answers = [
    mirror.dispatch(add), mirror.dispatch({ type: "given up" }, { signal: giving.signal }),
    mirror.dispatch({ type: "last" }),
  ];
  giving.abort();
  assert.equal((await answers[1].catch((error) => error)).name, "AbortError");
  const last = stage.next("/actions");
  (await sent).accept(5);
  const request = await last;
  assert.equal(request.body, '{"type":"last"}');
  request.accept(6);
  await Promise.all([answers[0], answers[2]]);
});

test("what is refused for now is sent again after Retry-After, what is wrong is not", async () => {
  const { mirror, stage } = await opened({ items: [] });
  const first = stage.next("/actions");
  const answer = mirror.dispatch(add, { idempotencyKey: "k" });
  (await first).refuse(409, "too-many-queued", {}, { "Retry-After": "0" });
  const again = await stage.next("/actions");
  assert.equal(again.headers.get("Idempotency-Key"), '"k"');
  const count = stage.requests.length;
  again.refuse(422, "bad-payload", { pointer: "/payload/name" });
  const error = await answer.catch((error) => error);
  assert.deepEqual([error.code, error.pointer], ["bad-payload", "/payload/name"]);
  assert.equal(stage.requests.length, count);
});

test("what may have been kept is told as unknown, unless the server has looked for its key", async () => {
  for (const [status, code, isKnown] of [
    [401, "unauthenticated", false], [410, "session-ended", false], [403, "forbidden", false],
    [409, "rejected/full", true], [422, "idempotency-key-reused", true],
  ]) {
    const { mirror, stage } = await opened({ items: [] }, { timeout: 20 });
    const first = stage.next("/actions");
    const answer = mirror.dispatch(add).catch((error) => error);
    const key = (await first).headers.get("Idempotency-Key");
    (await stage.next("/actions")).refuse(status, code, { title: "No." });
    const error = await answer;
    assert.equal(error.code, isKnown ? code.split("/").at(-1) : "outcome-unknown");
    assert.deepEqual([error.status, `"${error.idempotencyKey}"`], [status, key]);
    mirror.close();
  }
  const { mirror, stage } = await opened({ items: [] });
  const first = stage.next("/actions");
  const answer = mirror.dispatch(add).catch((error) => error);
  (await first).refuse(401, "unauthenticated");
  assert.equal((await answer).code, "unauthenticated");
  mirror.close();
});

test("what a listener does stands behind what it was told of", async () => {
  const { mirror, stage } = await opened({ items: [] }, { predict: adds });
  let [isTold, second] = [false];
  mirror.subscribe(() => {
    if (isTold) return;
    isTold = true;
    second = mirror.dispatch({ type: "cleared" });
  });
  const sent = stage.next("/actions");
  const first = mirror.dispatch(add);
  const request = await sent;
  assert.equal(request.body, JSON.stringify(add));
  const next = stage.next("/actions");
  request.accept(5);
  await first;
  const other = await next;
  assert.equal(other.body, '{"type":"cleared"}');
  other.accept(6);
  await second;
  mirror.close();
});

test("a prediction is shown at once, and stays what it was when it comes true", async () => {
  const { mirror, stage, stream } = await opened({ items: [], other: {} }, { predict: adds });
  const seen = [];
  mirror.subscribe(() => seen.push(mirror.getState().items.map(({ name }) => name).join()));
  const { other } = mirror.state;
  const sent = stage.next("/actions");
  const answer = mirror.dispatch(add, { idempotencyKey: "k" });
  assert.deepEqual(mirror.state.items, [{ key: "k", name: "Milk" }]);
  assert.deepEqual([mirror.confirmed.items, mirror.pending, mirror.state.other], [[], 1, other]);
  const predicted = mirror.state;
  const request = await sent;
  // The state comes before the answer that tells whether it includes the action.
  await stream.patch("e-5", 4, 5, { op: "add", path: "/items/0", value: { key: "k", name: "Milk" } });
  assert.equal(mirror.state, predicted);
  request.accept(5);
  await answer;
  assert.equal(mirror.state, predicted);
  assert.deepEqual([mirror.pending, seen], [0, ["Milk"]]);
});

test("a prediction goes when its action is refused, and lies on top of what others do", async () => {
  const { mirror, stage, stream } = await opened({ items: [] }, { predict: adds });
  const before = mirror.state;
  const sent = stage.next("/actions");
  const answers = [mirror.dispatch(add), mirror.dispatch({ type: "added", payload: { name: "Tea" } })];
  const request = await sent;
  const next = stage.next("/actions");
  request.refuse(422, "rejected/too-much", { detail: "Too much." });
  assert.equal((await answers[0].catch((error) => error)).message, "Too much.");
  assert.deepEqual(mirror.state.items.map(({ name }) => name), ["Tea"]);
  (await next).accept(6);
  await answers[1];
  await stream.patch("e-5", 4, 5, { op: "add", path: "/items/0", value: { name: "Jam" } });
  assert.deepEqual(mirror.state.items.map(({ name }) => name), ["Jam", "Tea"]);
  await stream.patch("e-6", 5, 6, { op: "add", path: "/items/1", value: { name: "Tea" } });
  assert.deepEqual(mirror.state.items, [{ name: "Jam" }, { name: "Tea" }]);
  assert.deepEqual(before, { items: [] });
});

test("what cannot be sent says why", async () => {
  const stage = new Stage();
  const fail = () => {
    throw new Error("no token");
  };
  const options = { fetch: stage.fetch, headers: fail };
  const none = createSession("http://stage.test/list", "home", options).catch((error) => error);
  assert.equal((await none).message, "no token");
  const sent = stage.next("/home");
  const lost = createSession("http://stage.test/list", "home", { fetch: stage.fetch, attempts: 1 });
  (await sent).fail();
  const error = await lost.catch((error) => error);
  assert.deepEqual([error.code, error.cause.message], ["unreachable", "fetch failed"]);
});

test("a route of the application is asked once, and refuses as the server does", async () => {
  const stage = new Stage();
  const sent = stage.next("/sign-in");
  const options = { fetch: stage.fetch, body: { name: "" } };
  const answer = request("http://stage.test/sign-in", options).catch((error) => error);
  const asked = await sent;
  assert.deepEqual([asked.init.method, asked.body], ["POST", '{"name":""}']);
  const fault = { pointer: "/name", code: "empty", detail: "Say a name." };
  asked.refuse(503, "rejected/bad-name", { errors: [fault] });
  assert.equal((await answer).fault("/name"), "Say a name.");
  const got = stage.next("/me");
  const nobody = request("http://stage.test/me", { fetch: stage.fetch });
  (await got).answer(204);
  assert.equal(await nobody, undefined);
  const told = stage.next("/text");
  const repeated = { fetch: stage.fetch, attempts: 3 };
  const text = request("http://stage.test/text", repeated).catch((error) => error);
  (await told).resolve(new Response("pong", { status: 200 }));
  const { status, message, reaction } = await text;
  assert.deepEqual([status, message, reaction], [200, "The answer is no JSON.", "giveUp"]);
});

test("a session is made with its input, and one without an id only once", async () => {
  const stage = new Stage();
  const put = stage.next("/sessions/home");
  const options = { fetch: stage.fetch, input: { name: "Home" }, attempts: 2 };
  const made = createSession("http://stage.test/list/", "home", options);
  (await put).fail();
  const again = await stage.next("/sessions/home");
  assert.deepEqual([again.init.method, again.body], ["PUT", '{"name":"Home"}']);
  again.answer(201);
  assert.equal(await made, "home");
  const post = stage.next("/sessions");
  const other = createSession("http://stage.test/list", undefined, options);
  (await post).answer(201, undefined, { Location: "/list/sessions/a~b" });
  assert.equal(await other, "a~b");
  const lost = stage.next("/sessions");
  const none = createSession("http://stage.test/list", undefined, options).catch((error) => error);
  (await lost).fail();
  assert.equal((await none).code, "unreachable");
});

test("one action more than the limit is refused at once, and shown by nothing", async () => {
  const { mirror, stage } = await opened({ items: [] }, { predict: adds, queueLimit: 2 });
  const first = stage.next("/actions");
  const answers = [mirror.dispatch(add), mirror.dispatch(add)];
  const error = await mirror.dispatch(add).catch((error) => error);
  assert.deepEqual([error.status, error.code, error.reaction], [0, "queue-full", "again"]);
  assert.deepEqual([mirror.state.items.length, mirror.pending], [2, 2]);
  const second = stage.next("/actions");
  (await first).accept(5);
  await answers[0];
  const third = mirror.dispatch(add);
  for (const [index, version] of [6, 7].entries()) {
    const request = await (index === 0 ? second : stage.next("/actions"));
    request.accept(version);
  }
  assert.deepEqual([(await answers[1]).version, (await third).version], [6, 7]);
});

test("one that waits for its effects keeps its place, and holds nobody up", async () => {
  const { mirror, stage, stream } = await opened({ items: [] }, { predict: adds });
  const sent = stage.next("/actions");
  const settling = mirror.dispatch(add, { settle: 5, ifMatch: true });
  const other = mirror.dispatch({ type: "added", payload: { name: "Tea" } });
  const request = await sent;
  assert.deepEqual([request.query, request.headers.get("If-Match")], ["", '"e-4"']);
  const [one, another] = [stage.next("/actions"), stage.next("/actions")];
  request.accept(5);
  const [repeat, next] = await Promise.all([one, another]);
  assert.deepEqual([repeat.query, repeat.body], ["settle=5", JSON.stringify(add)]);
  assert.equal(repeat.headers.get("Idempotency-Key"), request.headers.get("Idempotency-Key"));
  assert.equal(repeat.headers.get("If-Match"), null);
  next.accept(6);
  assert.equal((await other).version, 6);
  await stream.patch("e-6", 4, 6, set("/items", [{ name: "Milk" }, { name: "Tea" }]));
  assert.deepEqual([mirror.state.items.length, mirror.pending], [2, 0]);
  repeat.answer(200, { version: 9, token: "e-9", changed: true, settled: true });
  assert.deepEqual(await settling, { version: 9, token: "e-9", changed: true, settled: true });
});

test("what is not known of the effects of an accepted action is no refusal of it", async () => {
  const { mirror, stage } = await opened({ items: [] });
  const sent = stage.next("/actions");
  const settling = mirror.dispatch(add, { settle: 5 });
  const repeat = sent.then((request) => (request.accept(5), stage.next("/actions")));
  (await repeat).refuse(410, "session-ended");
  assert.deepEqual(await settling, { version: 5, token: "e-5", changed: true, settled: false });
  const dropped = { version: 5, token: "e-5", changed: false, dropped: true };
  for (const answer of [dropped, { ...dropped, dropped: undefined, results: [dropped, dropped] }]) {
    const again = stage.next("/actions");
    const settled = mirror.dispatch(add, { settle: 5 });
    (await again).answer(200, answer);
    assert.equal((await settled).settled, true);
    assert.equal(stage.requests.filter(({ query }) => query === "settle=5").length, 1);
  }
});

test("a session that is opened tells whether it was made for that", async () => {
  const stage = new Stage();
  for (const [status, isNew] of [[201, true], [200, false]]) {
    const put = stage.next("/home");
    const session = openSession("http://stage.test/list", "home", { fetch: stage.fetch });
    (await put).answer(status);
    const mirror = await session;
    mirrors.push(mirror);
    assert.equal(mirror.isNew, isNew);
  }
});

const turnOn = { predict: (state) => ({ ...state, on: true }) };

/** Shows that something is off, and predicts that it is on; what a listener saw. */
async function turned(answer) {
  const all = await opened({ on: false }, turnOn);
  const seen = [];
  all.mirror.subscribe(() => seen.push(all.mirror.state.on));
  const sent = all.stage.next("/actions");
  const done = all.mirror.dispatch({ type: "turnedOn" }).catch((error) => error);
  answer(await sent);
  await done;
  return { ...all, seen };
}

test("what somebody else has done a moment before is shown without a flicker", async () => {
  for (const answer of [
    (request) => request.answer(200, { version: 6, token: "e-6", changed: false }),
    (request) => request.refuse(422, "rejected/is-on", {}, { ETag: '"e-6"' }),
  ]) {
    const { mirror, stream, seen } = await turned(answer);
    assert.equal(mirror.pending, 0);
    await stream.patch("e-6", 4, 6, set("/on", true));
    await settled();
    assert.deepEqual([mirror.state, seen], [{ on: true }, [true]]);
  }
});

test("a prediction of what changed nothing goes, by its state or in a second", async () => {
  const clock = new Clock();
  const answer = (version) => (request) =>
    request.answer(200, { version, token: `e-${version}`, changed: false });
  for (const [version, pause] of [[4, 0], [5, 999]]) {
    const going = turned(answer(version));
    for (let round = 0; round < 8; round += 1) await clock.turn(5);
    const { mirror, seen } = await going;
    assert.deepEqual([mirror.pending, seen], [0, pause ? [true] : [true, false]]);
    await clock.turn(1_000);
    assert.deepEqual(seen, [true, false]);
  }
  clock.end();
});

test("an answer that is quicker than the first state of its epoch waits for that", async () => {
  const { mirror, stage, stream, seen } = await turned((request) =>
    request.answer(200, { version: 2, token: "f-2", changed: true }));
  assert.deepEqual([mirror.state, mirror.includes("f-2"), mirror.pending], [{ on: true }, false, 1]);
  await stream.say("snapshot", "f-1", { version: 1, state: { on: false } });
  assert.deepEqual([mirror.includes("f-2"), mirror.includes("e-9")], [false, true]);
  await stream.patch("f-2", 1, 2, set("/on", true));
  assert.deepEqual([mirror.includes("f-2"), mirror.pending, seen], [true, 0, [true]]);
  // An epoch that never comes is over with the next one.
  const sent = stage.next("/actions");
  const answer = mirror.dispatch({ type: "turnedOn" });
  (await sent).answer(200, { version: 7, token: "g-7", changed: true });
  await answer;
  assert.equal(mirror.pending, 1);
  await stream.say("snapshot", "h-0", { version: 0, state: { on: false } });
  assert.deepEqual([mirror.state, mirror.includes("g-7"), mirror.pending], [{ on: false }, true, 0]);
  await stream.say("snapshot", "g-8", { version: 8, state: { on: true } });
  assert.deepEqual([mirror.state, mirror.version], [{ on: true }, 8]);
  mirror.close();
});

test("an answer of an epoch that is over, and was never shown, is waited for 15 seconds", async () => {
  const clock = new Clock();
  const going = turned((request) => request.answer(200, { version: 2, token: "d-2", changed: true }));
  for (let round = 0; round < 8; round += 1) await clock.turn(5);
  const { mirror } = await going;
  await clock.turn(14_900);
  await clock.turn(0);
  assert.deepEqual([mirror.state, mirror.includes("d-2"), mirror.pending], [{ on: true }, false, 1]);
  await clock.turn(100);
  await clock.turn(0);
  assert.deepEqual([mirror.state, mirror.includes("d-2"), mirror.pending], [{ on: false }, true, 0]);
  mirror.close();
  clock.end();
});
