import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Clock } from "./clock.mjs";

// Pages are modules for browsers; Node takes a file for one where a package says so.
const client = new URL("../../../Sources/CPages/client/statecast.js", import.meta.url);
const page = (path) => {
  const source = readFileSync(new URL(`../../../Public/${path}`, import.meta.url), "utf8")
    .replace('"/client/statecast.js"', JSON.stringify(client));
  return import(`data:text/javascript,${encodeURIComponent(source)}`);
};
const { actions, predict, screensOf } = await page("episodes/wire.js");
const { Identity } = await page("cards/identity.js");

const thing = { status: "idle" };
const screen = (id) => ({
  episode: { id, details: thing, comments: { items: [], loading: thing, draft: "Oh", posting: thing } },
});
const state = { screens: [{ splash: {} }, screen("a"), screen("b")] };

test("a comment of the Episodes page is on its way before the server answers", () => {
  const next = predict(state, actions.commentPosted("b", "Oh well"));
  const [, other, shown] = screensOf(next);
  assert.deepEqual([shown.draft, shown.posting.isLoading, shown.comments], ["Oh well", true, []]);
  assert.equal(other.posting.isLoading, false);
  assert.equal(next.screens[1], state.screens[1]);
  for (const action of [actions.commentPosted("b", " "), actions.draftEdited("b", "Oh my")]) {
    assert.equal(predict(state, action), state);
  }
});

test("a tab of Cards asks who is signed in until it is told, and believes the last answer", async () => {
  const clock = new Clock();
  let channel;
  globalThis.BroadcastChannel = class {
    constructor() {
      channel = this;
    }
  };
  globalThis.location = { href: "http://stage.test/cards/" };
  const questions = [];
  globalThis.fetch = () =>
    new Promise((resolve, reject) => questions.push({
      tell: (name) => resolve(Response.json({ id: name, name })),
      fail: () => reject(new TypeError("fetch failed")),
    }));
  const happened = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };
  const seen = [];
  const identity = new Identity(
    () => seen.push(identity.person?.name),
    () => seen.push("the same"),
  );
  void identity.ask();
  channel.onmessage();
  await happened();
  questions[1].fail();
  questions[0].tell("Ann");
  await happened();
  await clock.turn(1_000);
  await happened();
  questions[2].tell("Bob");
  await happened();
  void identity.ask();
  await happened();
  questions[3].tell("Bob");
  await happened();
  clock.end();
  assert.deepEqual([seen, questions.length], [["Bob", "the same"], 4]);
});
