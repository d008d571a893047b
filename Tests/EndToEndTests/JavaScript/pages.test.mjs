import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// Pages are modules for browsers; Node takes a file for one where a package says so.
const file = new URL("../../../Public/episodes/wire.js", import.meta.url);
const source = encodeURIComponent(readFileSync(file, "utf8"));
const { actions, predict, screensOf } = await import(`data:text/javascript,${source}`);

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
