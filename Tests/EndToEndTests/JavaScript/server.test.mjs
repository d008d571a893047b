/** With a server, whose address is in the environment, and the libraries of Debian's packages. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Mirror, createSession, openSession } from "../../../Sources/CPages/client/statecast.js";
import { mirrors, until } from "./stage.mjs";

const base = process.env.STATECAST;
const mount = `${base}/counter`;
const redux = createRequire(import.meta.url)("redux/dist/redux.js");

/** Sessions of this run. */
const own = (name) => `${name}-${process.pid}`;

async function opened(name, options) {
  const mirror = await openSession(mount, own(name), options);
  mirrors.push(mirror);
  await until(() => mirror.status.phase === "live" && mirror.state);
  return mirror;
}

const increment = (by) => ({ type: "incremented", payload: { by } });

for (const mode of ["stream", "longPoll", "poll"]) {
  test(`two mirrors see each other's actions, by ${mode}`, async () => {
    const mirror = await opened(mode, { mode, interval: 20 });
    const other = await opened(mode);
    await other.dispatch(increment(2));
    await until(() => mirror.state.count === 2);
    const { token } = await mirror.dispatch([increment(3), increment(4)], { settle: 1 });
    await until(() => mirror.includes(token) && other.includes(token));
    assert.deepEqual([mirror.state, other.state, mirror.status.mode], [{ count: 9 }, { count: 9 }, mode]);
    assert.ok(Math.abs(mirror.clock.offset) < 1_000);
    // What nobody sees brings no state, and long-polls are held for it.
    const unseen = await mirror.dispatch(increment(0));
    assert.deepEqual([unseen.changed, mirror.pending], [false, 0]);
    if (mode !== "longPoll") await until(() => mirror.includes(unseen.token));
  });
}

test("a mirror that was away is brought to the present state", async () => {
  const mirror = await opened("away");
  await mirror.dispatch(increment(2));
  const seen = [];
  mirror.onState(({ count }) => seen.push(count));
  mirror.setMode("stream");
  await until(() => mirror.state.count === 2);
  mirror.close();
  const later = new Mirror(mount, own("away"));
  mirrors.push(later);
  await until(() => later.state);
  assert.deepEqual(later.state, { count: 2 });
});

test("what the server refuses names the place in what was sent", async () => {
  const mirror = await opened("refused");
  const error = await mirror.dispatch([increment(1), increment("two")]).catch((error) => error);
  assert.deepEqual([error.status, error.code, error.pointer], [422, "bad-payload", "/1/payload/by"]);
  assert.ok(error.fault("/1/payload/by").startsWith("An integer"));
  const unknown = await mirror.dispatch({ type: "incremeted" }).catch((error) => error);
  assert.deepEqual([unknown.code, unknown.problem.known], ["unknown-action", ["incremented", "decremented"]]);
  const stale = await mirror.dispatch(increment(1), { ifMatch: "zz-9" }).catch((error) => error);
  assert.deepEqual([stale.code, stale.reaction], ["precondition-failed", "ask"]);
  assert.ok(stale.token.includes(mirror.token));
  await mirror.dispatch(increment(1), { ifMatch: true });
});

test("a session that ends, or is not there, is told, and not made", async () => {
  const mirror = await opened("ended");
  await fetch(`${mount}/sessions/${own("ended")}`, { method: "DELETE" });
  await until(() => mirror.status.phase === "ended");
  assert.equal(mirror.status.problem.type, "/problems/session-ended");
  const lost = new Mirror(mount, own("nobody"));
  mirrors.push(lost);
  const error = await lost.dispatch(increment(1)).catch((error) => error);
  assert.deepEqual([error.code, error.reaction], ["session-not-found", "ask"]);
  await until(() => lost.status.phase === "lost");
  await createSession(mount, own("nobody"));
  lost.restart();
  await until(() => lost.state?.count === 0);
});

test("a view that there is not is refused, and not asked for again", async () => {
  const mirror = await opened("viewed");
  mirror.restart({ view: { name: "nothing" } });
  await until(() => mirror.status.phase === "refused");
  assert.equal(mirror.status.problem.type, "/problems/bad-parameter");
});

test("Redux wraps a mirror in middleware, and binds action creators to it", async () => {
  const mirror = await opened("redux");
  const types = [];
  const log = () => (next) => (action) => (types.push(action.type), next(action));
  const thunk = ({ dispatch, getState }) => (next) => (action) =>
    typeof action === "function" ? action(dispatch, getState) : next(action);
  const store = redux.applyMiddleware(thunk, log)(() => mirror)();
  assert.equal(store.getState(), mirror.state);
  let count = 0;
  store.subscribe(() => (count += 1));
  const { incremented } = redux.bindActionCreators({ incremented: increment }, store.dispatch);
  const { token } = await incremented(2);
  await until(() => store.includes(token));
  await store.dispatch(async (dispatch, getState) => dispatch(increment(getState().count)));
  await until(() => store.getState().count === 4);
  assert.deepEqual([types, count], [["incremented", "incremented"], 2]);
});

test("a store of Redux has the mirror as a part of its state", async () => {
  const mirror = await opened("part");
  const reduce = redux.combineReducers({
    session: (state = null, { type, state: heard }) => (type === "session/heard" ? heard : state),
    draft: (state = "", { type, text }) => (type === "drafted" ? text : state),
  });
  const store = redux.createStore(reduce);
  mirror.onState((state) => store.dispatch({ type: "session/heard", state }));
  store.dispatch({ type: "drafted", text: "Milk" });
  await mirror.dispatch(increment(3));
  await until(() => store.getState().session.count === 3);
  assert.equal(store.getState().draft, "Milk");
});

test("an action that waits for its effects goes out in its turn, and holds nobody up", async () => {
  const session = await openSession(`${base}/episodes`, own("settled"));
  mirrors.push(session);
  const search = (text) => ({ type: "home/searchEdited", payload: { text } });
  await until(() => session.state?.screens[0].home);
  const settling = session.dispatch(search("tin"), { settle: 10 });
  const other = await session.dispatch(search("quiet"));
  const { settled, version } = await settling;
  assert.deepEqual([settled, session.isNew], [true, true]);
  assert.ok(version >= other.version, `${version} ${other.version}`);
  await until(() => session.includes(other.token));
  assert.equal(session.state.screens[0].home.searchText, "quiet");
});
