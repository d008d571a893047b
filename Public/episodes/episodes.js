/**
 * The Episodes page: shows the stack of screens that the server says, sends what is done to it. With
 * `?screen=episode:e7` it follows one of them alone, wherever in the stack.
 * What tests can hold on to is listed in `screens.js` and in `/client/ui/session-page.js`.
 */
import { TextField } from "/client/statecast.js";
import { StateDialog } from "/client/ui/dialog.js";
import { h, render } from "/client/ui/dom.js";
import { hideMessage, openPage, senderTo, showError } from "/client/ui/session-page.js";
import * as draw from "./screens.js";
import { actions, predict, screenID, screensOf } from "./wire.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** The name of the screen that is shown alone. */
const only = new URL(location.href).searchParams.get("screen");
const mirror = await openPage("/episodes", only
  ? {
    view: { name: "screen", arguments: { id: only } },
    predict: (screen, action) => predict({ screens: [screen] }, action).screens[0],
  }
  : { predict });

const send = senderTo(mirror);
const search = new TextField({ mirror, action: actions.searchEdited, onError: showError });
/**
 * The draft of each episode that is open.
 * @type {Map<string, TextField>}
 */
const drafts = new Map();

/** @param {string} id */
function draft(id) {
  const known = drafts.get(id);
  if (known) return known;
  const action = (/** @type {string} */ text) => actions.draftEdited(id, text);
  const field = new TextField({ mirror, action, onError: showError });
  drafts.set(id, field);
  return field;
}

/** The person's profile lies over the rest; Escape closes it. */
const sheet = new StateDialog({
  name: "sheet",
  id: "profile",
  label: "Profile",
  onEscape: () => {
    const top = screens().at(-1);
    if (top?.kind === "profile") {
      send(actions.dismissed(screenID.profile(top.userID, top.commentID)));
    }
  },
});

let shownScreen = "";

/** The screens that are followed. */
function screens() {
  if (mirror.state === undefined) return [];
  return screensOf(only ? { screens: [mirror.state] } : mirror.state);
}

/**
 * The page's address with one screen alone, or with all of them.
 * @param {string | null} name
 */
function addressOf(name) {
  const url = new URL(location.href);
  if (name) url.searchParams.set("screen", name);
  else url.searchParams.delete("screen");
  return url.href;
}

function show() {
  const shown = screens();
  if (mirror.status.phase === "outOfScope") {
    sheet.show(null);
    return render(main, draw.closed(addressOf(null)));
  }
  if (shown.length === 0) return;
  const around = {
    send, search, draft, now: mirror.clock.now(), addressOf: only ? null : addressOf,
  };
  const isPage = (/** @type {import("./wire.js").Screen} */ { kind }) => only || kind !== "profile";
  const page = shown.findLast(isPage) ?? { kind: "splash" };
  const top = only ? undefined : shown.at(-1);
  render(main, screenOf(page, around));
  if (page.kind === "home") search.sync(page.searchText);
  if (page.kind === "episode") draft(page.id).sync(page.draft);
  for (const id of drafts.keys()) {
    if (!shown.some((screen) => screen.kind === "episode" && screen.id === id)) drafts.delete(id);
  }
  showSheet(top?.kind === "profile" ? top : null, around);
  moved(page.kind === "episode" ? page.id : page.kind);
}

/**
 * @param {any} page
 * @param {import("./screens.js").Surroundings} around
 */
function screenOf(page, around) {
  switch (page.kind) {
    case "home": return draw.home(page, around);
    case "episode": return draw.episode(page, around);
    case "profile": return h("section", { class: "sheet-body card", key: page.userID },
      draw.profile(page, around));
    default: return draw.splash();
  }
}

/**
 * @param {import("./wire.js").Profile | null} screen
 * @param {import("./screens.js").Surroundings} around
 */
function showSheet(screen, around) {
  if (!screen) return sheet.show(null);
  const body = draw.profile(screen, around);
  sheet.show(h("div", { class: "sheet-body", key: screen.userID }, body));
}

/** After a change of screen: the top of the page, and the keyboard at its heading. */
function moved(/** @type {string} */ name) {
  if (name === shownScreen) return;
  const isFirst = shownScreen === "";
  shownScreen = name;
  scrollTo({ top: 0 });
  hideMessage();
  if (!isFirst && !sheet.isOpen) main.querySelector("h1")?.focus({ preventScroll: true });
}

mirror.onState(show);
mirror.onStatus(show);
setInterval(show, 1_000);
