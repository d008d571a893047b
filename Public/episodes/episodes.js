/**
 * The Episodes page: shows the stack of screens that the server says, sends what is done to it.
 * What tests can hold on to is listed in `screens.js` and in `/client/ui/session-page.js`.
 */
import { TextField } from "/client/statecast.js";
import { StateDialog } from "/client/ui/dialog.js";
import { h, render } from "/client/ui/dom.js";
import { hideMessage, openPage, showError } from "/client/ui/session-page.js";
import * as draw from "./screens.js";
import { actions, predict, screenID, screensOf } from "./wire.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const mirror = await openPage("/episodes", { predict });

/** @param {import("/client/statecast.js").Action} action */
const send = (action) => void mirror.dispatch(action).catch(showError);
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
    const top = mirror.state === undefined ? undefined : screensOf(mirror.state).at(-1);
    if (top?.kind === "profile") {
      send(actions.dismissed(screenID.profile(top.userID, top.commentID)));
    }
  },
});

let shownScreen = "";

function show() {
  if (mirror.state === undefined) return;
  const screens = screensOf(mirror.state);
  const around = { send, search, draft, now: mirror.clock.now() };
  const page = screens.findLast(({ kind }) => kind !== "profile") ?? { kind: "splash" };
  const top = screens.at(-1);
  render(main, page.kind === "profile" ? null : screenOf(page, around));
  if (page.kind === "home") search.sync(page.searchText);
  if (page.kind === "episode") draft(page.id).sync(page.draft);
  for (const id of drafts.keys()) {
    if (!screens.some((screen) => screen.kind === "episode" && screen.id === id)) drafts.delete(id);
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
setInterval(show, 1_000);
