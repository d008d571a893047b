/**
 * Patches of a state (RFC 6902: add, remove, replace), applied so that what they do not touch stays
 * the same value: `===` tells what has changed.
 *
 * The state is what `JSON.parse` makes of the server's JSON, with two limits of JavaScript: integers
 * beyond 2 ** 53 lose their last digits, and members whose names are array indices (`"7"`) come
 * before all others, in the order of numbers. For all other states `JSON.stringify` spells members
 * in the server's order: `before` in an `add` names the member that a new one goes in front of.
 */

/** A patch that does not fit the state: a gap, or damage. Ask for a snapshot. */
export class PatchError extends Error {
  /**
   * @param {string} detail
   * @param {number | null} operation The operation's index; null where there is no list of them.
   * @param {string} path The operation's path, a JSON Pointer.
   */
  constructor(detail, operation = null, path = "") {
    super(operation === null ? detail : `operation ${operation} at ${path || "the root"}: ${detail}`);
    this.name = "PatchError";
    this.operation = operation;
    this.path = path;
  }
}

/**
 * The state after a patch. Neither the state nor the operations are changed; only the objects and
 * arrays on the way to a change are new ones. Throws `PatchError`.
 * @param {any} state
 * @param {import("./statecast.js").PatchOperation[]} operations
 */
export function applyPatch(state, operations) {
  if (!Array.isArray(operations)) throw new PatchError("A patch is an array of operations.");
  const draft = new Draft(state);
  operations.forEach((operation, index) => {
    try {
      draft.perform(operation);
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      throw new PatchError(error.message, index, String(operation?.path ?? ""));
    }
  });
  return draft.root;
}

/** What did not fit, before it is known where. */
class Misfit extends Error {}

/** A state that is being changed: each object and array is copied before its first change. */
class Draft {
  /** The copies. */
  #own = new Set();

  /** @param {any} root */
  constructor(root) {
    this.root = root;
  }

  /** @param {any} operation */
  perform(operation) {
    const { op, path, value, before } = operation ?? {};
    if (!["add", "remove", "replace"].includes(op)) {
      throw new Misfit("Only add, remove and replace are understood.");
    }
    if (op !== "remove" && value === undefined) throw new Misfit("The operation has no value.");
    const tokens = tokensOf(path);
    const last = tokens.pop();
    if (last === undefined) {
      if (op === "remove") throw new Misfit("The whole document cannot be removed.");
      this.root = reconcile(this.root, value);
      return;
    }
    const parent = this.#parent(tokens);
    if (Array.isArray(parent)) changeElement(parent, op, last, value);
    else changeMember(parent, op, last, value, op === "add" ? before : undefined);
  }

  /**
   * The object or array at the end of a way, which may be changed.
   * @param {string[]} tokens
   */
  #parent(tokens) {
    let node = (this.root = this.#owned(this.root));
    for (const token of tokens) {
      const key = Array.isArray(node) ? elementIndex(node, token) : memberName(node, token);
      const child = this.#owned(node[key]);
      if (child !== node[key]) put(node, key, child);
      node = child;
    }
    return node;
  }

  /** @param {any} node */
  #owned(node) {
    if (this.#own.has(node)) return node;
    if (typeof node !== "object" || node === null) {
      throw new Misfit("A value on the way is no object and no array.");
    }
    const copy = Array.isArray(node) ? node.slice() : { ...node };
    this.#own.add(copy);
    return copy;
  }
}

/**
 * The tokens of a JSON Pointer (RFC 6901).
 * @param {unknown} path
 */
function tokensOf(path) {
  if (path === "") return [];
  if (typeof path !== "string" || path[0] !== "/" || /~(?![01])/.test(path)) {
    throw new Misfit("The path is no JSON Pointer.");
  }
  return path.slice(1).split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * The index of an element that is there (RFC 6901 §4: no sign, no leading zero).
 * @param {any[]} array
 * @param {string} token
 * @param {number} [limit] Behind the last index.
 */
function elementIndex(array, token, limit = array.length) {
  if (!/^(?:0|[1-9]\d*)$/.test(token)) {
    throw new Misfit("The path has no index where an array is.");
  }
  if (Number(token) >= limit) throw new Misfit(`The array has ${array.length} elements.`);
  return Number(token);
}

/**
 * The name of a member that is there.
 * @param {object} object
 * @param {string} name
 */
function memberName(object, name) {
  if (!Object.hasOwn(object, name)) throw new Misfit("The object has no such member.");
  return name;
}

/**
 * @param {any[]} array
 * @param {string} op
 * @param {string} token
 * @param {any} value
 */
function changeElement(array, op, token, value) {
  if (op === "add") {
    const index = token === "-" ? array.length : elementIndex(array, token, array.length + 1);
    array.splice(index, 0, value);
    return;
  }
  const index = elementIndex(array, token);
  if (op === "remove") array.splice(index, 1);
  else array[index] = reconcile(array[index], value);
}

/**
 * @param {any} object
 * @param {string} op
 * @param {string} name
 * @param {any} value
 * @param {unknown} before The name of the member that an added one goes in front of.
 */
function changeMember(object, op, name, value, before) {
  if (before !== undefined && !(typeof before === "string" && Object.hasOwn(object, before))) {
    throw new Misfit('The object has no member that "before" names.');
  }
  if (op !== "add") memberName(object, name);
  if (op === "remove") delete object[name];
  else if (Object.hasOwn(object, name)) put(object, name, reconcile(object[name], value));
  else insert(object, name, value, before);
}

/**
 * Adds a member at the end, or in front of another one: those behind it are added again.
 * @param {any} object
 * @param {string} name
 * @param {any} value
 * @param {unknown} before
 */
function insert(object, name, value, before) {
  const names = Object.keys(object);
  const behind = before === undefined ? [] : names.slice(names.indexOf(String(before)));
  const values = behind.map((other) => object[other]);
  for (const other of behind) delete object[other];
  put(object, name, value);
  behind.forEach((other, index) => put(object, other, values[index]));
}

/**
 * Sets a member or an element. `__proto__` is a name like any other: assigned, it would set the
 * object's prototype.
 * @param {any} container
 * @param {string | number} key
 * @param {any} value
 */
function put(container, key, value) {
  if (key !== "__proto__") {
    container[key] = value;
    return;
  }
  const isPlain = { configurable: true, enumerable: true, writable: true };
  Object.defineProperty(container, key, { value, ...isPlain });
}

/** Values that nest deeper are taken as they are. */
const depthLimit = 512;

/**
 * The value `after`, with everything in it that did not change taken from `before`: equal objects
 * and arrays are the same ones. Elements of arrays are found again at their place counted from
 * either end, or by the member `id`. Neither value is changed.
 * @template Value
 * @param {any} before
 * @param {Value} after
 * @param {number} [depth]
 * @returns {Value}
 */
export function reconcile(before, after, depth = 0) {
  if (before === after || !areAlike(before, after) || depth > depthLimit) return after;
  return Array.isArray(after)
    ? reconcileElements(before, after, depth + 1)
    : reconcileMembers(before, after, depth + 1);
}

/**
 * Both are objects, or both are arrays.
 * @param {any} one
 * @param {any} other
 */
function areAlike(one, other) {
  return typeof one === "object" && typeof other === "object" && one !== null && other !== null
    && Array.isArray(one) === Array.isArray(other);
}

/**
 * @param {any} before
 * @param {any} after
 * @param {number} depth
 */
function reconcileMembers(before, after, depth) {
  const names = Object.keys(after);
  const former = Object.keys(before);
  let result = after;
  let isSame = names.length === former.length;
  names.forEach((name, index) => {
    const known = Object.hasOwn(before, name);
    const value = known ? reconcile(before[name], after[name], depth) : after[name];
    isSame &&= known && former[index] === name && value === before[name];
    if (value === after[name]) return;
    if (result === after) result = { ...after };
    put(result, name, value);
  });
  return isSame ? before : result;
}

/**
 * @param {any[]} before
 * @param {any[]} after
 * @param {number} depth
 */
function reconcileElements(before, after, depth) {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && areEqual(before[head], after[head], depth)) head += 1;
  if (head === before.length && head === after.length) return before;
  let tail = 0;
  while (
    tail < shorter - head
    && areEqual(before[before.length - 1 - tail], after[after.length - 1 - tail], depth)
  ) tail += 1;
  const between = before.slice(head, before.length - tail);
  const byID = new Map(between.filter(hasID).map((element) => [element.id, element]));
  const result = after.map((element, index) => {
    if (index < head) return before[index];
    if (index >= after.length - tail) return before[index - after.length + before.length];
    const known = hasID(element) ? byID.get(element.id) : between[index - head];
    return reconcile(known, element, depth);
  });
  return result.every((element, index) => element === after[index]) ? after : result;
}

/** @param {any} element */
function hasID(element) {
  if (typeof element !== "object" || element === null || !Object.hasOwn(element, "id")) return false;
  return typeof element.id === "string" || typeof element.id === "number";
}

/**
 * Both are the same JSON, members in the same order.
 * @param {any} one
 * @param {any} other
 * @param {number} depth
 * @returns {boolean}
 */
function areEqual(one, other, depth) {
  if (one === other) return true;
  if (!areAlike(one, other) || depth > depthLimit) return false;
  if (Array.isArray(one)) {
    return one.length === other.length
      && one.every((element, index) => areEqual(element, other[index], depth + 1));
  }
  const names = Object.keys(one);
  const others = Object.keys(other);
  return names.length === others.length
    && names.every((name, index) =>
      others[index] === name && areEqual(one[name], other[name], depth + 1));
}
