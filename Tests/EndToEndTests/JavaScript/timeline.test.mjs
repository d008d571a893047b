/** What the timeline page is made of, without a page. */
import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";
import { Clock } from "./clock.mjs";

// Pages name the client as servers do, and are modules, which Debian's Node has to be told.
const pages = new URL("../../../Sources/CPages/", import.meta.url).href;
register(`data:text/javascript,${encodeURIComponent(`
  const pages = ${JSON.stringify(pages)};
  export const resolve = async (name, context, next) => {
    const found = await next(name.startsWith("/client/") ? pages + name.slice(1) : name, context);
    return found.url.startsWith(pages) ? { ...found, format: "module" } : found;
  };
`)}`);
const page = (name) => import(`${pages}inspect/timeline/${name}.js`);
const { marksBetween } = await page("changes");
const { EntryList } = await page("entry-list");
const { Recording } = await page("recording");
const { Filter } = await page("filter");
const { Search } = await page("search");
const { Comparison, areSamePatches } = await page("comparison");
const { SessionLog } = await page("session-log");
const { withAction } = await page("replay");
const { indented, memberRange } = await page("json-text");
const { RecordingJoint } = await page("saving");

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

/** A log of which the page has the end, and the server the rest, in pages of a thousand. */
const longLog = (length, known) => {
  const list = new EntryList();
  list.append(entries(length - known + 1, known));
  return {
    kind: "session", list, baseVersion: 0, isComplete: true, pages: 0,
    async *pagesBefore(first) {
      for (; first > 1; first = Math.max(1, first - 1_000), this.pages += 1) {
        const from = Math.max(1, first - 1_000);
        yield { raws: entries(from, first - from) };
      }
    },
  };
};
const searchFor = (text, source, onFound = () => {}) => {
  const filter = new Filter(() => {});
  filter.text = text;
  const search = new Search(source, filter.matcher(), () => onFound(search));
  return search;
};

test("a search goes through all that is kept, the newest first, and finds what a patch holds", async () => {
  const log = longLog(100_000, 3_000);
  const seen = [];
  const search = searchFor('count "value":99', log, ({ entries }) => seen.push(entries.length));
  await search.start();
  assert.equal(search.phase, "over");
  assert.deepEqual([search.count, log.pages], [100_000, 97]);
  // 99, 990 to 999, 9,900 to 9,999 and 99,000 to 99,999.
  const versions = search.entries.map(({ version }) => version);
  assert.deepEqual([versions.length, versions[0], versions.at(-1)], [1 + 10 + 100 + 1_000, 99, 99_999]);
  assert.ok(versions.every((version, index) => index === 0 || version > versions[index - 1]));
  assert.ok(new Set(seen).size >= 3, "what is found is there at once");
  assert.equal(log.list.at(99).version, 99, "and can be looked at");
  assert.equal(log.list.entries.length, 3_000, "all else is let go of");
});

test("a search stops when it is told to, goes on from there, and takes what comes meanwhile", async () => {
  const log = longLog(20_000, 1_000);
  const search = searchFor("incremented", log, ({ count }) => {
    if (count >= 5_000) search.stop();
  });
  await search.start();
  assert.deepEqual([search.phase, search.count, search.entries.length], ["stopped", 5_000, 5_000]);
  log.list.append(entries(20_001, 2));
  search.came("append", log.list.entries.slice(-2));
  search.onFound = () => {};
  await search.start();
  assert.deepEqual([search.phase, search.count, search.entries.length], ["over", 20_002, 20_002]);
  assert.deepEqual([search.entries[0].version, search.entries.at(-1).version], [1, 20_002]);
  const broad = searchFor("", longLog(30_000, 100));
  await broad.start();
  assert.deepEqual([broad.phase, broad.entries.length], ["full", 20_100]);
});

test("pages that the server sends in parts leave no gap", async () => {
  const log = new SessionLog({ mount: "http://stage.test/counter", id: "parts" });
  globalThis.fetch = async (url) => {
    const { searchParams } = new URL(url, "http://stage.test");
    const after = Number(/-(\d+)$/.exec(searchParams.get("after"))[1]);
    const last = Math.min(after + 400, after + Number(searchParams.get("limit")), 2_500);
    const headers = last < 2_500 ? { Link: '<next>; rel="next"' } : {};
    return Response.json(entries(after + 1, last - after), { headers });
  };
  log.epoch = "e";
  const versions = [];
  for await (const { raws } of log.pagesBefore(2_501, new AbortController().signal)) {
    versions.unshift(...raws.map(({ version }) => version));
  }
  assert.deepEqual(versions, Array.from({ length: 2_500 }, (_, index) => index + 1));
});

test("of a long session the part is read that has the entry", async () => {
  const log = new SessionLog({ mount: "http://stage.test/counter", id: "long" });
  log.epoch = "e";
  globalThis.fetch = async (url) => {
    const from = Number(/from=e-(\d+)$/.exec(url)?.[1] ?? 90_000);
    return new Response([{ version: from, state: {} }, entry(from + 1)].map((each) => JSON.stringify(each)).join("\n"));
  };
  const firsts = [];
  for (const version of [undefined, 90_001, 90_000, 7]) {
    firsts.push(JSON.parse((await log.readRecording(version)).split("\n")[1]).version);
  }
  assert.deepEqual(firsts, [90_001, 90_001, 90_000, 7]);
});

test("JSON that is edited as text keeps each number and string as it is written", () => {
  const action = String.raw`{"type":"a","payload":{"n":1.0,"m":9223372036854775807,"s":"\"{,\\","none":{},"few":[1e2,[]]}}`;
  const entry = `{"by":{"action":1,"x":[":",","]},"key":"action", "action" : ${action},"patch":[]}`;
  const textOf = (name, object = entry) => object.slice(...memberRange(object, name) ?? [0, 0]);
  assert.equal(textOf("action"), action);
  assert.deepEqual([textOf("patch"), textOf("key"), textOf("x"), textOf("at", '{"at":12}')],
    ["[]", '"action"', "", "12"]);
  assert.equal(indented(action).replace(/\n */g, "").replaceAll(": ", ":"), action);
  const plain = { a: [], b: [1, { c: "x:y, {" }], d: {} };
  assert.equal(indented(JSON.stringify(plain)), JSON.stringify(plain, null, 2));
});

test("parts of a recording are one, with times that count from one beginning", () => {
  const part = (version, start, versions, created = "2026-11-23T08:00:00.000Z") =>
    [{ version, created, start: `2026-11-23T08:00:0${start}.000Z`, state: {} },
      ...versions.map((each) => ({ version: each, at: 1.5, action: null }))]
      .map((line) => `${JSON.stringify(line)}\n`).join("");
  const joint = new RecordingJoint();
  const text = [part(4, 0, [5, 6]), part(5, 2, [6, 7]), part(7, 3, [])]
    .map((each) => joint.linesOf(each)).join("");
  const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ version, at }) => [version, at]),
    [[4, undefined], [5, 1.5], [6, 1.5], [7, 2001.5]]);
  assert.equal(joint.count, 3);
  assert.throws(() => joint.linesOf(part(9, 3, [10])), /begun anew, or forgotten/);
  assert.throws(() => joint.linesOf(part(7, 3, [8], "2026-11-24T08:00:00.000Z")), /begun anew/);
});

test("who may look no more is told once, and the log is asked for no more", async () => {
  const clock = new Clock();
  const { setInterval } = globalThis;
  const looks = [];
  globalThis.setInterval = (look) => looks.push(look);
  const asked = [];
  globalThis.fetch = async (url) => {
    asked.push(url);
    if (url.endsWith("/refused")) return Response.json({ token: "e-900", version: 900 });
    if (url.includes("/log?limit=1")) return Response.json(entries(1, 1));
    if (url.includes("after=e-600&")) return Response.json(entries(601, 300));
    return Response.json({ type: "/problems/forbidden" }, { status: 403 });
  };
  const log = new SessionLog({ mount: "http://stage.test/counter", id: "refused" });
  const errors = [];
  log.onError = ({ status }) => errors.push(status);
  try {
    await log.open();
    await clock.turn(1);
    assert.deepEqual([errors, log.isComplete], [[403], true], "a search waits for no more");
    const { length } = asked;
    for (const look of looks) look();
    await clock.turn(60_000);
    assert.deepEqual([errors, asked.slice(length).filter((url) => url.includes("/log"))], [[403], []]);
  } finally {
    log.close();
    globalThis.setInterval = setInterval;
    clock.end();
  }
});

test("patches that do the same in another order are the same", () => {
  const patch = (...operations) => operations.map(([op, path, value]) => ({ op, path, value }));
  const [a, b] = [["replace", "/a", 1], ["add", "/b/c", 2]];
  assert.ok(areSamePatches(patch(a, b), patch(b, a)));
  assert.ok(areSamePatches(patch(a, b, a), patch(b, a, a)));
  assert.ok(areSamePatches(undefined, undefined) && !areSamePatches(undefined, patch(a)));
  const others = [
    [["replace", "/a", 1], ["replace", "/a", 2]],
    [["add", "/b", {}], ["add", "/b/c", 2]],
    [["remove", "/list/0"], ["replace", "/list/2", 1]],
    [["add", "/list/0", 1], ["add", "/list/-", 2]],
  ];
  for (const [one, other] of others) {
    assert.ok(!areSamePatches(patch(one, other), patch(other, one)), `${one} ${other}`);
  }
  assert.ok(!areSamePatches(patch(a), patch(["replace", "/a", 2])));
  const all = [["add", "", 0], ["replace", "/a", 0], ["remove", "/a/1"], ["add", "/a/b", 0], ["replace", "/ab", 0]];
  const orders = (rest) => rest.length === 0
    ? [[]] : rest.flatMap((each) => orders(rest.filter((other) => other !== each)).map((order) => [each, ...order]));
  const isBefore = (order, one, other) => order.indexOf(all[one]) < order.indexOf(all[other]);
  for (const order of orders(all)) {
    // What meets nothing of the others may stand anywhere behind the whole: "/ab" here.
    const isSame = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [2, 3]].every((pair) => isBefore(order, ...pair));
    assert.equal(areSamePatches(patch(...all), patch(...order)), isSame, JSON.stringify(order));
  }
});

test("patches of 100,000 operations are compared in whatever order they come", () => {
  const long = Array.from({ length: 100_000 }, (_, place) => ({ op: "replace", path: `/a/${place}/b`, value: place }));
  assert.ok(areSamePatches(long, [...long].reverse()));
  assert.ok(!areSamePatches(long, [...long.slice(1), { ...long[0], value: -1 }].reverse()));
});

test("a recording gets another action, and what comes of it is compared entry by entry", async () => {
  const lines = [{ version: 4, state: {} }, entry(5), entry(6)].map((each) => JSON.stringify(each));
  const text = withAction(lines.join("\n"), 6, '{"type":"reset","payload":1.0}');
  assert.equal(text, [...lines.slice(0, 2), lines[2].replace('{"type":"incremented"}', '{"type":"reset","payload":1.0}')].join("\n"));
  assert.deepEqual(text.split("\n").map((line) => JSON.parse(line).action?.type),
    [undefined, "incremented", "reset"]);
  assert.equal(JSON.parse(withAction(text, 5, "null").split("\n")[1]).action, null);
  assert.throws(() => withAction(text, 7, "{}"), /does not hold version 7/);
  assert.throws(() => withAction(text, 4, "{}"), /does not hold version 4/);
  const [now, former] = [new EntryList(), new EntryList()];
  former.append(entries(1, 4));
  now.append([
    entry(1), { ...entry(2), action: { type: "reset" }, patch: undefined },
    { ...entry(3), patch: [] }, { ...entry(4), patch: undefined, rejection: { code: "too-low" } },
  ]);
  const source = { kind: "file", list: now, baseVersion: 0, isComplete: true };
  const comparison = new Comparison(source, { list: former, isComplete: true, close() {} }, () => {});
  await new Promise(setImmediate);
  assert.deepEqual(now.entries.map((each) => comparison.markOf(each)),
    ["", "edited", "differs", "refused"]);
  assert.equal(comparison.sentence, "3 of 4 entries are others than before; 1 refused.");
  assert.deepEqual([comparison.next(2, false), comparison.next(2, true), comparison.next(4, false)],
    [3, null, null]);
});
