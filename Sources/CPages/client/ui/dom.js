/**
 * Draws a tree of descriptions into the page and changes only what differs from the last time, so
 * that focus, caret and scrolling survive. Text is always text, never markup.
 *
 * @typedef {{ tag: string, props: Record<string, any>, key?: string, children: Node[] }} Element
 * @typedef {Element | string} Node
 */

const svgNamespace = "http://www.w3.org/2000/svg";
/** What was drawn into an element last. */
const drawn = new WeakMap();

/**
 * Describes an element. `key` tells siblings apart, `ref` is called with the element when it is
 * made, `on…` are listeners, `style` is an object of properties.
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...any} children Elements and texts, nested arrays of them; null and false are nothing.
 * @returns {Element}
 */
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, key: props?.key, children: flat(children) };
}

/**
 * Draws into an element whose content is ours alone.
 * @param {globalThis.Element} parent
 * @param {...any} children
 */
export function render(parent, ...children) {
  patchChildren(parent, flat(children));
}

/**
 * @param {any[]} children
 * @returns {Node[]}
 */
function flat(children) {
  return children.flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "object" ? child : String(child)));
}

/**
 * @param {globalThis.Element} parent
 * @param {Node[]} children
 */
function patchChildren(parent, children) {
  const left = new Set(parent.childNodes);
  const nodes = children.map((child) => {
    const match = [...left].find((node) => isSame(node, child));
    if (match) left.delete(match);
    return match ? patch(match, child) : create(child, parent);
  });
  for (const node of left) node.remove();
  let next = parent.firstChild;
  for (const node of nodes) {
    if (node === next) next = node.nextSibling;
    else parent.insertBefore(node, next);
  }
}

/**
 * @param {ChildNode} node
 * @param {Node} child
 */
function isSame(node, child) {
  const last = drawn.get(node);
  if (typeof child === "string") return node.nodeType === globalThis.Node.TEXT_NODE;
  return last !== undefined && last.tag === child.tag && last.key === child.key;
}

/**
 * @param {Node} child
 * @param {globalThis.Element} parent
 */
function create(child, parent) {
  if (typeof child === "string") return document.createTextNode(child);
  const isDrawing = child.tag === "svg" ||
    (parent.namespaceURI === svgNamespace && parent.localName !== "foreignObject");
  const element = isDrawing
    ? document.createElementNS(svgNamespace, child.tag)
    : document.createElement(child.tag);
  patch(element, child);
  child.props.ref?.(element);
  return element;
}

/**
 * @param {any} node
 * @param {Node} child
 */
function patch(node, child) {
  if (typeof child === "string") {
    if (node.data !== child) node.data = child;
    return node;
  }
  const last = drawn.get(node)?.props ?? {};
  for (const name of new Set([...Object.keys(last), ...Object.keys(child.props)])) {
    if (name !== "key" && name !== "ref") set(node, name, child.props[name], last[name]);
  }
  drawn.set(node, child);
  patchChildren(node, child.children);
  return node;
}

/**
 * @param {any} element
 * @param {string} name
 * @param {any} value
 * @param {any} last
 */
function set(element, name, value, last) {
  if (name === "value" || name === "checked") {
    if (element[name] !== value) element[name] = value;
  } else if (value === last) {
    return;
  } else if (name.startsWith("on")) {
    element[name] = value ?? null;
  } else if (name === "style") {
    for (const [key, text] of Object.entries(value ?? {})) element.style.setProperty(key, text);
  } else if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}
