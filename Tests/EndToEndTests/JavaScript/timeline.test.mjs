/** What the timeline page is made of, without a page. */
import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";

// Pages name the client as servers do.
const pages = new URL("../../../Sources/CPages/", import.meta.url).href;
register(`data:text/javascript,${encodeURIComponent(`
  export const resolve = (name, context, next) =>
    next(name.startsWith("/client/") ? ${JSON.stringify(pages)} + name.slice(1) : name, context);
`)}`);
const page = (name) => import(`${pages}inspect/timeline/${name}.js`);
const { marksBetween } = await page("changes");
const { EntryList } = await page("entry-list");
const { Recording } = await page("recording");

const entry = (version) => ({
  version, at: version, origin: "client", action: { type: "incremented" },
  patch: [{ op: "replace", path: "/count", value: version }],
});
const entries = (first, count) => Array.from({ length: count }, (_, index) => entry(first + index));

test("a list keeps all that a journal keeps, and drops the oldest beyond", () => {
  const list = new EntryList();
  list.append(entries(1, 100_000));
  list.append(entries(100_001, 1));
  assert.deepEqual([list.first, list.last, list.isFull], [1, 100_001, false]);
  list.append(entries(100_002, 10_000));
  assert.deepEqual([list.last, list.at(50_000).version], [110_001, 50_000]);
  assert.ok(list.entries.length > 100_000 && list.entries.length < 110_000);
});

test("a recording has the state at each version, however long it is", async () => {
  const recording = new Recording("long", "", { version: 0, state: { count: 0 } }, entries(1, 120_000));
  assert.deepEqual((await recording.stateAt(7)).state, { count: 7 });
  assert.deepEqual((await recording.stateAt(119_999)).state, { count: 119_999 });
});

const marks = ({ kind, children }) => ({
  ...(kind && { kind }), ...Object.fromEntries([...children].map(([name, mark]) => [name, marks(mark)])),
});

test("two states are compared member by member, and lists between their equal ends", () => {
  const before = { a: 1, gone: true, list: [{ id: 1 }, { id: 2, n: 1 }, { id: 4 }] };
  const after = { a: 2, come: {}, list: [{ id: 1 }, { id: 2, n: 2 }, { id: 3 }, { id: 4 }] };
  assert.deepEqual(marks(marksBetween(before, after)), {
    kind: "reduced", a: { kind: "changed" }, come: { kind: "added" },
    list: { 1: { n: { kind: "changed" } }, 2: { kind: "added" } },
  });
  assert.deepEqual(marks(marksBetween(after, before)), {
    kind: "reduced", a: { kind: "changed" }, gone: { kind: "added" },
    list: { kind: "reduced", 1: { n: { kind: "changed" } } },
  });
  assert.deepEqual(marks(marksBetween(before, structuredClone(before))), {});
});
