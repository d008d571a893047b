/**
 * Shows a mirror in the Redux DevTools extension: own actions when they are sent, states when they are
 * heard; a click on one shows that state until there is news. Without the extension it does nothing.
 * @param {import("./statecast.js").Mirror} mirror
 * @param {{ name?: string, extension?: any }} [options]
 * @returns {() => void} Stops it.
 */
export function connectDevTools(mirror, options = {}) {
  const { name = mirror.id } = options;
  const { extension = /** @type {any} */ (globalThis).__REDUX_DEVTOOLS_EXTENSION__ } = options;
  if (!extension) return () => {};
  const tools = extension.connect({ name, features: { jump: true } });
  const { dispatch } = mirror;
  mirror.dispatch = (action, options) => {
    const answer = dispatch(action, options);
    for (const each of [action].flat()) tools.send(each, mirror.getState());
    return answer;
  };
  /** @type {string | null} */ let heard = null;
  const stop = mirror.onState((/** @type {any} */ state, /** @type {string} */ token) => {
    if (heard === null) tools.init(state);
    else if (heard !== token) tools.send({ type: "statecast/heard", token }, state);
    heard = token;
  });
  const close = tools.subscribe((/** @type {any} */ { type, payload, state }) => {
    if (type !== "DISPATCH") return;
    if (payload?.type?.startsWith("JUMP_TO_")) mirror.preview(JSON.parse(state));
    else if (payload?.type === "RESET") mirror.preview();
  });
  return () => {
    mirror.dispatch = dispatch;
    stop();
    close?.();
  };
}
