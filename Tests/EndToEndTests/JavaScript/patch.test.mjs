import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchError, applyPatch, reconcile } from "../../../Sources/CPages/client/statecast.js";

const change = (text, operations) => applyPatch(JSON.parse(text), JSON.parse(operations));

test("a patch leaves what it does not touch the same value", () => {
  const text = '{"list":[{"id":1},{"id":2}],"other":{"deep":[]}}';
  const before = JSON.parse(text);
  const after = applyPatch(before, [
    { op: "replace", path: "/list/1/id", value: 3 }, { op: "add", path: "/list/0", value: { id: 0 } },
  ]);
  assert.deepEqual(after.list, [{ id: 0 }, { id: 1 }, { id: 3 }]);
  assert.equal(after.other, before.other);
  assert.equal(after.list[1], before.list[0]);
  assert.equal(JSON.stringify(before), text);
});

test("a patch that replaces a whole list leaves its equal elements the same", () => {
  const before = JSON.parse('{"list":[{"id":1},{"id":2,"a":{}},{"id":3}]}');
  const list = [{ id: 3 }, { id: 2, a: {}, b: 1 }, { id: 9 }, { id: 1 }];
  const after = applyPatch(before, [{ op: "replace", path: "/list", value: list }]);
  assert.deepEqual(after, { list });
  assert.equal(after.list[0], before.list[2]);
  assert.equal(after.list[1].a, before.list[1].a);
  assert.equal(after.list[3], before.list[0]);
  assert.equal(reconcile(before, JSON.parse(JSON.stringify(before))), before);
});

test("a patch puts a member before another one, and gives no name a meaning", () => {
  const after = change('{"a":1,"c":{"__proto__":{"x":1}}}', `[
    {"op":"add","path":"/b","value":2,"before":"c"},
    {"op":"add","path":"/__proto__","value":{"polluted":1},"before":"a"},
    {"op":"add","path":"/__proto__/deep","value":1},
    {"op":"add","path":"/c/constructor","value":{}},
    {"op":"add","path":"/c/constructor/prototype","value":7,"xyz":1},
    {"op":"replace","path":"/c/__proto__/x","value":2}]`);
  assert.equal(JSON.stringify(after), '{"__proto__":{"polluted":1,"deep":1},"a":1,"b":2,' +
    '"c":{"__proto__":{"x":2},"constructor":{"prototype":7}}}');
  assert.equal({}.polluted ?? {}.deep, undefined);
  assert.equal(Object.getPrototypeOf(after), Object.prototype);
});

const unfit = [
  ['{"op":"remove","path":"/none"}', "has no such member"],
  ['{"op":"remove","path":"/toString"}', "has no such member"],
  ['{"op":"replace","path":"/constructor/name","value":1}', "has no such member"],
  ['{"op":"add","path":"/__proto__/x","value":1}', "has no such member"],
  ['{"op":"add","path":"/list/2","value":1}', "The array has 1 elements."],
  ['{"op":"remove","path":"/list/-"}', "has no index"],
  ['{"op":"add","path":"/list/00","value":1}', "has no index"],
  ['{"op":"replace","path":"/list/length","value":0}', "has no index"],
  ['{"op":"add","path":"/list/99999999999999999999","value":1}', "has 1 elements"],
  ['{"op":"add","path":"/list/0/x","value":1}', "no object and no array"],
  ['{"op":"add","path":"/x","value":1,"before":"none"}', '"before" names'],
  ['{"op":"remove","path":""}', "cannot be removed"],
  ['{"op":"remove","path":"list"}', "no JSON Pointer"],
  ['{"op":"remove","path":"/~2"}', "no JSON Pointer"],
  ['{"op":"remove"}', "no JSON Pointer"],
  ['{"op":"add","path":"/x"}', "has no value"],
  ['{"op":"move","path":"/x","from":"/list"}', "Only add, remove and replace"],
  ["null", "Only add"],
];

test("a patch that does not fit is refused with its index and path", () => {
  for (const [operation, detail] of unfit) {
    const operations = `[{"op":"remove","path":"/a"},${operation}]`;
    assert.throws(() => change('{"list":[1],"a":1}', operations), (error) => {
      assert.ok(error instanceof PatchError);
      assert.equal(error.operation, 1);
      assert.equal(error.path, JSON.parse(operation)?.path ?? "");
      assert.ok(error.message.startsWith("operation 1 at "));
      assert.ok(error.message.includes(detail), error.message);
      return true;
    });
  }
});
