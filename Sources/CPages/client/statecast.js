/**
 * The client of Statecast: follow a session's state, send actions to it.
 *
 *     import { openSession } from "/client/statecast.js";
 *     const session = await openSession("/counter", "demo");
 *     session.onState((state) => { output.textContent = state.count; });
 *     await session.dispatch({ type: "incremented", payload: { by: 1 } });
 *
 * A session is a store as Redux has them: `getState`, `subscribe`, `dispatch`. No dependency, no build
 * step, in pages, workers and Node; types in `statecast.d.ts`, more in the article "The JavaScript
 * client".
 */
import { clockOf } from "./clock.js";
import { modes } from "./connection.js";
import { connectDevTools } from "./devtools.js";
import { Mirror } from "./mirror.js";
import { PatchError, applyPatch, reconcile } from "./patch.js";
import { StatecastError, errorOf } from "./problems.js";
import { request, send, sessionsOf } from "./session.js";
import { TextField } from "./text-field.js";
import { parseToken } from "./token.js";

export {
  Mirror,
  PatchError,
  StatecastError,
  TextField,
  applyPatch,
  clockOf,
  connectDevTools,
  errorOf,
  modes,
  parseToken,
  reconcile,
  request,
};

/**
 * Makes a session with an id that nobody guesses, or with the id that is given, unless it is there.
 * @param {string} mount
 * @param {string} [id]
 * @param {import("./statecast.js").CreateOptions} options
 * @returns {Promise<string>} The id.
 */
export async function createSession(mount, id, options = {}) {
  return (await make(mount, id, options)).id;
}

/**
 * Follows a session, which is made if it is not there.
 * @param {string} mount
 * @param {string} id
 * @param {import("./statecast.js").MirrorOptions & import("./statecast.js").CreateOptions} [options]
 */
export async function openSession(mount, id, options = {}) {
  const { isNew } = await make(mount, id, options);
  return Object.assign(new Mirror(mount, id, options), { isNew });
}

/**
 * @param {string} mount
 * @param {string | undefined} id
 * @param {import("./statecast.js").CreateOptions} options
 */
function make(mount, id, { input, signal, ...options }) {
  const body = input === undefined ? undefined : JSON.stringify(input);
  /** @type {Record<string, string>} */
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const sessions = sessionsOf(mount);
  if (id !== undefined) {
    const request = { method: "PUT", headers, body, signal };
    return send(`${sessions}/${encodeURIComponent(id)}`, request, options,
      async ({ status }) => ({ id, isNew: status === 201 }));
  }
  // Sent again it would make another one.
  return send(sessions, { method: "POST", headers, body, signal }, { ...options, attempts: 1 },
    async (response) => {
      const location = new URL(response.headers.get("Location") ?? "", response.url || sessions);
      return { id: decodeURIComponent(location.pathname.split("/").pop() ?? ""), isNew: true };
    });
}
