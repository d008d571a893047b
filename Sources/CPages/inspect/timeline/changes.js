/**
 * What a patch did to a state: each operation with the value before it, and marks on the members
 * of the state behind it.
 */
import { applyPatch } from "/client/patch.js";

/** Beyond so many operations the values before them are not looked up. */
const operationLimit = 200;
/** Two values that are compared member by member nest no deeper. */
const depthLimit = 64;

/**
 * @typedef {"added" | "changed" | "reduced"} MarkKind `reduced`: something in it is gone.
 * @typedef {{ kind: MarkKind | null, children: Map<string, Mark> }} Mark A place in a state, and
 *   what is marked below it.
 * @typedef {object} Step One operation.
 * @property {string} op
 * @property {string} path
 * @property {unknown} before undefined where it is not known, or where there was nothing.
 * @property {unknown} after undefined where it is removed.
 */

/** @returns {Mark} */
const unmarked = () => ({ kind: null, children: new Map() });

/** @param {string} path A JSON Pointer. */
const tokensOf = (path) =>
  path.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

/**
 * What a patch did.
 * @param {unknown} before The state before; undefined where it is not known.
 * @param {import("/client/statecast.js").PatchOperation[]} operations
 * @returns {{ steps: Step[], mark: Mark }}
 */
export function changesOf(before, operations) {
  const root = unmarked();
  const steps = [];
  let state = operations.length <= operationLimit ? before : undefined;
  for (const operation of operations) {
    const tokens = tokensOf(operation.path);
    const former = valueAt(state, tokens);
    const list = Array.isArray(valueAt(state, tokens.slice(0, -1)));
    state = applied(state, operation);
    const after = operation.op === "remove" ? undefined : operation.value;
    const isAddition = operation.op === "add" && list;
    steps.push({ ...operation, before: isAddition ? undefined : former, after });
    markStep(root, operation, tokens, list, former);
  }
  return { steps, mark: root };
}

/**
 * Marks on a state, wherever it differs from another one.
 * @param {unknown} before
 * @param {unknown} after
 */
export function marksBetween(before, after) {
  const root = unmarked();
  compare(root, before, after, 0);
  return root;
}

/**
 * @param {unknown} state
 * @param {import("/client/statecast.js").PatchOperation} operation
 */
function applied(state, operation) {
  if (state === undefined) return undefined;
  try {
    return applyPatch(state, [operation]);
  } catch {
    // The viewer may see less than the patch is about.
    return undefined;
  }
}

/**
 * @param {any} value
 * @param {string[]} tokens
 */
function valueAt(value, tokens) {
  let found = value;
  for (const token of tokens) {
    const isContainer = typeof found === "object" && found !== null;
    if (!isContainer || !Object.hasOwn(found, token)) return undefined;
    found = found[token];
  }
  return found;
}

/**
 * @param {Mark} root
 * @param {import("/client/statecast.js").PatchOperation} operation
 * @param {string[]} tokens
 * @param {boolean} isElement The last token is an index in an array.
 * @param {any} former
 */
function markStep(root, operation, tokens, isElement, former) {
  const last = tokens.at(-1);
  const parent = place(root, tokens.slice(0, -1));
  if (operation.op === "remove") {
    if (last === undefined) return;
    if (isElement) shift(parent, Number(last), -1);
    else parent.children.delete(last);
    parent.kind ??= "reduced";
    return;
  }
  if (last === undefined) {
    compare(root, former, operation.value, 0);
    return;
  }
  if (operation.op === "add" && isElement && last !== "-") shift(parent, Number(last), 1);
  const mark = place(parent, [last]);
  mark.children.clear();
  const isNew = operation.op === "add" && (isElement || former === undefined);
  if (isNew) mark.kind = "added";
  else compare(mark, former, operation.value, 0);
}

/**
 * The mark at a place, made where it is not there.
 * @param {Mark} root
 * @param {string[]} tokens
 */
function place(root, tokens) {
  let mark = root;
  for (const token of tokens) {
    let child = mark.children.get(token);
    if (!child) mark.children.set(token, child = unmarked());
    mark = child;
  }
  return mark;
}

/**
 * Moves the marks of the elements from an index on, as an element comes or goes before them.
 * @param {Mark} parent
 * @param {number} index
 * @param {1 | -1} by
 */
function shift(parent, index, by) {
  const moved = new Map();
  for (const [token, mark] of parent.children) {
    const number = Number(token);
    if (number < index) moved.set(token, mark);
    else if (by > 0 || number > index) moved.set(String(number + by), mark);
  }
  parent.children = moved;
}

/**
 * Marks what differs between two values, member by member where both are objects, or arrays.
 * @param {Mark} mark
 * @param {any} before
 * @param {any} after
 * @param {number} depth
 * @returns {boolean} Whether anything differs.
 */
function compare(mark, before, after, depth) {
  if (before === after) return false;
  if (!areObjects(before, after) || depth >= depthLimit) {
    mark.kind = "changed";
    return true;
  }
  if (Array.isArray(after) && before.length !== after.length) {
    compareLists(mark, before, after, depth);
    return true;
  }
  let differs = false;
  for (const name of Object.keys(after)) {
    const child = unmarked();
    if (!Object.hasOwn(before, name)) child.kind = "added";
    else if (!compare(child, before[name], after[name], depth + 1)) continue;
    mark.children.set(name, child);
    differs = true;
  }
  if (Object.keys(before).every((name) => Object.hasOwn(after, name))) return differs;
  mark.kind ??= "reduced";
  return true;
}

/**
 * Marks what came into a list or changed in it, between the elements that are equal at both ends.
 * @param {Mark} mark
 * @param {any[]} before
 * @param {any[]} after
 * @param {number} depth
 */
function compareLists(mark, before, after, depth) {
  const [former, later] = [before, after].map((list) => list.map((each) => JSON.stringify(each)));
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && former[start] === later[start]) start += 1;
  let end = 0;
  while (end < most - start && former.at(-1 - end) === later.at(-1 - end)) end += 1;
  const [gone, come] = [before.length - start - end, after.length - start - end];
  for (let index = start; index < start + come; index += 1) {
    const child = unmarked();
    if (index >= start + gone) child.kind = "added";
    else if (!compare(child, before[index], after[index], depth + 1)) continue;
    mark.children.set(String(index), child);
  }
  if (gone > come) mark.kind ??= "reduced";
}

/**
 * @typedef {{ name: string, before: unknown, after: unknown }} Difference A member, by its way from
 *   the value that is compared; undefined stands for nothing.
 */

/**
 * The members that differ between two values; null where they are more than `limit`, or no members.
 * @param {any} before
 * @param {any} after
 * @param {number} limit
 * @returns {Difference[] | null}
 */
export function differencesOf(before, after, limit) {
  if (!areObjects(before, after)) return null;
  /** @type {Difference[]} */ const found = [];
  collect(before, after, [], found, limit);
  return found.length <= limit ? found : null;
}

/**
 * @param {any} before
 * @param {any} after
 * @param {string[]} way
 * @param {Difference[]} found
 * @param {number} limit
 */
function collect(before, after, way, found, limit) {
  if (before === after || found.length > limit) return;
  const isMember = !areObjects(before, after) || way.length > depthLimit
    || (Array.isArray(after) && before.length !== after.length);
  if (isMember) {
    found.push({ name: way.join(" › "), before, after });
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [former, later] = [before, after]
      .map((value) => Object.hasOwn(value, name) ? value[name] : undefined);
    collect(former, later, [...way, name], found, limit);
    if (found.length > limit) return;
  }
}

/**
 * @param {any} one
 * @param {any} other
 */
const areObjects = (one, other) =>
  typeof one === "object" && typeof other === "object" && one !== null && other !== null
  && Array.isArray(one) === Array.isArray(other);
