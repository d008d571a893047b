/**
 * Where in the page one is, which is in its address, so that it can be handed on and the browser's
 * back button works: nothing is the welcome, `#lobby` the lobby, `#table=<id>` a table.
 *
 * @typedef {{ kind: "welcome" | "lobby" } | { kind: "table", id: string }} Place
 */

export const addresses = {
  welcome: "#welcome",
  lobby: "#lobby",
  /** @param {string} id */
  table: (id) => `#table=${encodeURIComponent(id)}`,
};

/** @returns {Place} */
export function placeInAddress() {
  const table = /^#table=([A-Za-z0-9._~-]{1,128})$/.exec(location.hash);
  if (table) return { kind: "table", id: table[1] };
  return { kind: location.hash === addresses.lobby ? "lobby" : "welcome" };
}
