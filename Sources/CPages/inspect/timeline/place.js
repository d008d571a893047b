/** What the page's address names: a session, and one of its versions. */

/** Where the demos are mounted, and the page that shows a session of each. */
export const mounts = {
  "/counter": "/counter/",
  "/episodes": "/episodes/",
  "/rides": "/rides/",
  "/cards/lobby": null,
  "/cards/tables": null,
};

/**
 * @typedef {{ mount: string, id: string }} Place A session: where its application is mounted, empty
 *   for `/`, and its id.
 */

/**
 * Reads the path of a session, for example `/rides/sessions/abc`.
 * @param {string | null} path
 * @returns {Place | null} null where it is none, or might lead to another host.
 */
export function parsePlace(path) {
  const form = /^((?:\/[A-Za-z0-9._~-]+)*)\/sessions\/([A-Za-z0-9._~-]{1,128})\/?$/;
  const match = form.exec(path ?? "");
  return match && !/^\.\.?$/.test(match[2]) ? { mount: match[1], id: match[2] } : null;
}

/**
 * The path of a session.
 * @param {Place} place
 */
export const pathOf = ({ mount, id }) => `${mount}/sessions/${id}`;

/**
 * The mount as one types it: `/rides`, `rides/`, and `/` for the whole server.
 * @param {string} text
 */
export const mountOf = (text) => `/${text.trim()}`.replace(/\/+/g, "/").replace(/\/$/, "");

/** The session and the versions in the page's address, and the session that it is to be compared with. */
export function placeInAddress() {
  const { searchParams } = new URL(location.href);
  const path = searchParams.get("session");
  const [version, against] = ["version", "against"].map((name) => {
    const number = /^\d{1,15}$/.exec(searchParams.get(name) ?? "");
    return number ? Number(number[0]) : null;
  });
  const beside = parsePlace(searchParams.get("beside"));
  return { path, place: parsePlace(path), beside, version, against };
}

/**
 * The page's address for a session, or for one of its versions.
 * @param {Place | null} place null for a file, or for nothing.
 * @param {number | null} [version] null for the newest.
 * @param {number | null} [against] The one that it is compared with.
 * @param {Place | null} [beside] The session that it is compared with.
 */
export function addressOf(place, version = null, against = null, beside = null) {
  const url = new URL(location.href);
  url.hash = "";
  const wanted = {
    session: place && pathOf(place), beside: beside && pathOf(beside), version, against,
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, String(value));
  }
  // A path reads better as it is; it has no character that a query forbids.
  url.search = url.search.replaceAll("%2F", "/");
  return url.href;
}
