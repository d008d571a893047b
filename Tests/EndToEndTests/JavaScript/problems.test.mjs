import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { StatecastError, errorOf } from "../../../Sources/CPages/client/statecast.js";

const article = new URL("../../../Sources/Statecast/Statecast.docc/Problems.md", import.meta.url);
/** The last column of the article: may the client send it again? */
const answers = [
  [/^Yes/, "again"],
  [/^(After reading the state again|With other credentials|Once the session is made)\./, "ask"],
  [/^(No\.|Once|With a new Idempotency-Key)/, "giveUp"],
];
const refusal = (status, type, members = {}) => new StatecastError(status, { type, ...members });

test("each problem of the server has the reaction that its article tells", () => {
  const rows = readFileSync(article, "utf8").split("\n")
    .filter((line) => line.startsWith("| `")).map((line) => line.slice(2, -2).split(" | "));
  assert.ok(rows.length > 60);
  for (const [name, statuses, , answer] of rows) {
    const code = name.replaceAll("`", "");
    const expected = answers.find(([pattern]) => pattern.test(answer));
    assert.ok(expected, `${code}: ${answer}`);
    for (const status of statuses.split(", ")) {
      // By its code: a status that says something else would tell.
      const error = refusal(418, `/problems/${code}`);
      assert.equal(error.reaction, expected[1], `${code}, ${status}: ${answer}`);
      assert.equal(error.code, code);
    }
  }
});

test("what others answer is judged by its status", () => {
  for (const [status, reaction] of [[400, "giveUp"], [401, "ask"], [429, "again"], [502, "again"]]) {
    assert.equal(refusal(status, undefined).reaction, reaction);
    assert.equal(refusal(status, "https://app.example/no-such-thing").reaction, reaction);
  }
});

test("a rejection has the application's code, and each fault its place in what was sent", async () => {
  const problem = {
    type: "/problems/rejected/bad-profile", detail: "Two things are wrong.", errors: [
      { pointer: "/payload/email", code: "bad-email", detail: "Say an address." },
      { pointer: "/payload/name", code: "empty", detail: "Say a name." },
    ],
  };
  const headers = { "Retry-After": "2", ETag: '"e-7"' };
  const error = await errorOf(new Response(JSON.stringify(problem), { status: 409, headers }));
  assert.deepEqual([error.code, error.reaction, error.status], ["bad-profile", "ask", 409]);
  assert.equal(error.fault("/payload/name"), "Say a name.");
  assert.equal(error.fault("/payload"), null);
  assert.deepEqual([error.retryAfter, error.token], [2_000, "e-7"]);
  const single = refusal(422, "/problems/bad-payload", { pointer: "/payload/by", detail: "A number." });
  assert.equal(single.fault("/payload/by"), "A number.");
  assert.equal((await errorOf(new Response("<h1>", { status: 502 }))).code, "unknown");
});
