/** JSON as text: numbers stay as they are written, where JavaScript would round some. */

/** Strings, signs, and what else stands between them: numbers and words. */
const form = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;

/**
 * Where the value of a member stands: from, and to before which; null where there is no such member.
 * @param {string} object
 * @param {string} name
 * @returns {[number, number] | null}
 */
export function memberRange(object, name) {
  let [start, end, depth, last] = [-1, 0, 0, ""];
  for (const { 0: token, index } of object.matchAll(form)) {
    if (depth === 1 && start > 0 && /[,}]/.test(token)) return [start, end];
    if (depth === 1 && start < 0 && token === ":" && last === `"${name}"`) start = 0;
    else if (start === 0) start = index;
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    [end, last] = [index + token.length, token];
  }
  return null;
}

/**
 * A member to a line.
 * @param {string} json
 */
export function indented(json) {
  let [text, depth, last] = ["", 0, ""];
  for (const [token] of json.matchAll(form)) {
    const isEnd = token === "}" || token === "]";
    const isFirst = last === "{" || last === "[";
    if (isEnd) depth -= 1;
    if (isEnd ? !isFirst : isFirst || last === ",") text += `\n${"  ".repeat(depth)}`;
    text += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    last = token;
  }
  return text;
}
