/** Requests about a replay: a session that plays a recording, and that nothing else changes. */
import { StatecastError, errorOf } from "/client/statecast.js";
import { memberRange } from "./json-text.js";
import { parsePlace, pathOf } from "./place.js";

/**
 * @typedef {object} Progress
 * @property {string} mode `1x`, `4x`, `step` (it moves by steps alone) or `instant`.
 * @property {number} version The version that it has come to.
 * @property {number} first The version that it began with.
 * @property {number} last
 * @property {number} at How far the recording's time has come, in milliseconds.
 * @property {number} duration Of the recording, in milliseconds.
 * @property {boolean} ended
 */

/** The speeds that a person is offered; the server takes all from 1 to 1,000. */
export const speeds = ["1x", "2x", "4x", "10x", "60x"];

/**
 * Makes a session that plays a recording. Throws `StatecastError`.
 * @param {string} mount Where the application of the recording is mounted.
 * @param {BodyInit} recording
 * @param {string} mode
 * @param {AbortSignal} signal
 * @param {boolean} [isReduced] Its actions are reduced again: what they did then does not count.
 * @returns {Promise<import("./place.js").Place>} The new session.
 */
export async function startReplay(mount, recording, mode, signal, isReduced = false) {
  const query = `replay=${encodeURIComponent(mode)}${isReduced ? "&reduce=again" : ""}`;
  const response = await ask(`${mount}/sessions?${query}`, {
    method: "POST",
    headers: { "Content-Type": "application/x-ndjson" },
    body: recording,
    signal,
  });
  const location = new URL(response.headers.get("Location") ?? "", response.url);
  const place = parsePlace(location.pathname);
  if (!place) throw new StatecastError(502, { detail: "The server named no session." });
  return place;
}

/**
 * How far a replay is. Throws `StatecastError`; 404 where the session is none.
 * @param {import("./place.js").Place} place
 * @returns {Promise<Progress>}
 */
export const readProgress = async (place) =>
  (await ask(`${pathOf(place)}/replay`, { cache: "no-store" })).json();

/**
 * Changes how a replay goes on. Throws `StatecastError`.
 * @param {import("./place.js").Place} place
 * @param {{ mode?: string, steps?: number, version?: number }} change
 * @returns {Promise<Progress>}
 */
export const steerReplay = async (place, change) =>
  (await ask(`${pathOf(place)}/replay`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(change),
  })).json();

/**
 * @param {string} url
 * @param {RequestInit} request
 */
async function ask(url, request) {
  const response = await fetch(url, request).catch(() => null);
  if (!response) throw new StatecastError(0, { detail: "The server cannot be reached." });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/**
 * A recording in which one entry has another action; all else is as it was written.
 * @param {string} recording A header, and an entry a line.
 * @param {number} version
 * @param {string} action Its JSON.
 */
export function withAction(recording, version, action) {
  const lines = recording.split("\n");
  const place = version - JSON.parse(lines[0]).version;
  const line = lines[place] ?? "{}";
  const range = JSON.parse(line).version === version && memberRange(line, "action");
  if (place < 1 || !range) {
    throw new StatecastError(0, { detail: `The recording does not hold version ${version} any more.` });
  }
  lines[place] = line.slice(0, range[0]) + action + line.slice(range[1]);
  return lines.join("\n");
}
