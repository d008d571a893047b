/** Why a timeline cannot be shown, or does not go on. */

/** @type {Record<number, [string, string | null]>} */
const sentences = {
  0: ["No connection.", null],
  401: ["Not signed in.", null],
  403: [
    "Not for everybody.",
    "Who looks into a session's past needs the role inspect; on the machine of a server that asks "
    + "nobody who they are, everybody has it.",
  ],
  404: [
    "No such session.",
    "A session that nobody has opened has no past. Look at the id, and at the application.",
  ],
  410: ["Over.", "The session has ended, and what the server knew of its past is gone."],
  503: ["Busy.", null],
};

/**
 * Why nothing can be read.
 * @param {any} error A `StatecastError`.
 * @returns {{ title: string, message: string }}
 */
export function faultOf({ status, message }) {
  const [title, text] = sentences[status] ?? ["This timeline cannot be shown.", null];
  return { title, message: text ?? message };
}

/**
 * Why a timeline that is shown does not go on.
 * @param {any} error A `StatecastError`.
 */
export function endOf(error) {
  if (error.status !== 404 && error.status !== 410) return faultOf(error);
  const message = "The server knows the session no more; what you see is all that is left.";
  return { title: "Over.", message };
}
