/** What a timeline is of, and how much of it there is. */
import { h } from "/client/ui/dom.js";
import { addressOf, mounts } from "./place.js";
import { count, duration } from "./words.js";

/** @typedef {import("./workspace.js").Source} Source */

/**
 * @param {Source} source
 * @param {import("./session-log.js").SessionLog | null} former The session that it is compared with.
 */
export function titleOf(source, former) {
  if (source.kind === "file") return source.name;
  const { mount, id } = source.place;
  if (former) {
    return [
      h("span", { class: "soft" }, `What if in ${mount || "/"} `),
      h("a", { href: addressOf(former.place), title: "What was: its own timeline" },
        h("span", { class: "id" }, former.place.id)),
    ];
  }
  const page = /** @type {Record<string, string | null>} */ (mounts)[mount];
  const title = h("span", { class: "id" }, id);
  return [
    h("span", { class: "soft" }, `${source.isReplay ? "Replay in " : ""}${mount || "/"} `),
    page ? h("a", { href: `${page}?session=${id}`, title: "Open its page" }, title) : title,
  ];
}

/**
 * `13 entries over 3.14 s, from version 1; 1 earlier one is not kept`
 * @param {Source} source
 * @param {import("./search.js").Search | null} search For what a filter lets through.
 * @param {object} baseLink Properties of the link to the state before the first entry.
 */
export function summaryOf(source, search, baseLink) {
  const { list, baseVersion } = source;
  const { length } = list.entries;
  const [first, last] = [list.entries[0], list.entries.at(-1)];
  const all = count(search ? search.count : length, "entry", "entries");
  const text = [
    search ? `${search.entries.length.toLocaleString("en")} of ${all}` : all,
    first && last && last !== first ? `over ${duration(last.time - first.time)}` : null,
    source.kind === "file" && source.header.application ? `of ${source.header.application}` : null,
  ].filter(Boolean).join(" ");
  if (!source.isComplete) return [text, ", earlier ones are on their way"];
  const gone = (list.first ?? baseVersion + 1) - 1;
  const name = gone === 0 ? "the beginning" : `version ${gone.toLocaleString("en")}`;
  const link = h("a", { "data-testid": "base", key: "base", ...baseLink }, name);
  if (gone === 0) return [text, ", from ", link];
  const earlier = count(gone, "earlier one is", "earlier ones are");
  const isLeftOut = source.kind === "session" && gone > baseVersion;
  const where = source.kind === "file" ? "in the recording" : isLeftOut ? "in this page" : "kept";
  return [text, ", from ", link, `; ${earlier} not ${where}`];
}
