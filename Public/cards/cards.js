/**
 * The Cards page: a lobby with tables, and a table at which up to four people play.
 * What tests can hold on to is listed in `welcome.js`, `lobby.js`, `table.js` and what they name;
 * `lost` is the line that appears while the server is out of reach.
 *
 * @typedef {object} Surroundings What the screens know beside the state, and what they can do.
 * @property {import("./wire.js").Person | null} me
 * @property {Notes} notes
 * @property {Hand} hand
 * @property {string} news What happened last at the table.
 * @property {boolean} isSigningIn
 * @property {boolean} isOpening
 * @property {boolean} isSitting
 * @property {boolean} isSaying
 * @property {(name: string) => void} signIn
 * @property {() => void} signOut
 * @property {(name: string, seats: number) => void} open
 * @property {(name?: string) => void} sit By a name other than one's own where it is taken.
 * @property {() => void} leave
 * @property {(card: number) => void} play
 * @property {() => void} draw
 * @property {() => void} deal
 * @property {(text: string) => Promise<boolean>} say
 */
import { h, render } from "/client/ui/dom.js";
import { hideMessage } from "/client/ui/session-page.js";
import { keepAtEnd } from "./chat.js";
import { secondsLeft, serverNow } from "./clock.js";
import { matches } from "./deck.js";
import { Hand } from "./hand.js";
import { happened } from "./happened.js";
import { Identity } from "./identity.js";
import { lobby } from "./lobby.js";
import { Notes } from "./notes.js";
import { addresses, placeInAddress } from "./place.js";
import { noTable, table } from "./table.js";
import { Visit } from "./visit.js";
import { welcome } from "./welcome.js";
import {
  actions,
  hasFreeSeat,
  isTurn,
  lobbyID,
  lobbyOf,
  mounts,
  tableOf,
} from "./wire.js";

const element = (/** @type {string} */ id) =>
  /** @type {HTMLElement} */ (document.getElementById(id));
const [main, lost, spoken] = ["main", "lost", "spoken"].map(element);

const notes = new Notes();
const identity = new Identity(arrive, stay);
let hand = new Hand();
let place = placeInAddress();
/** @type {Visit | null} */ let visit = null;
/** @type {import("./wire.js").Table | null} */ let lastTable = null;
let news = "";
let isSigningIn = false;
let isUnreachable = false;
/**
 * The table that was asked for here: its name, and the tables that were there before.
 * @type {{ name: string, known: Set<string>, isAccepted: boolean } | null}
 */
let asked = null;
/**
 * The table at which to sit down as soon as it is seen.
 * @type {string | null}
 */
let wanted = null;
let shownScreen = "";
let isFocusLost = false;

/** Goes where the address says, as who is signed in: with a session that is followed anew. */
function arrive() {
  visit?.close();
  visit = null;
  place = placeInAddress();
  lastTable = null;
  news = "";
  hand = new Hand();
  if (place.kind === "welcome" && identity.person) return location.replace(addresses.lobby);
  if (identity.isKnown && !identity.isForgotten && place.kind !== "welcome") {
    const [mount, id] = place.kind === "table"
      ? [mounts.tables, place.id]
      : [mounts.lobby, lobbyID];
    visit = new Visit(mount, id, {
      identity: identity.person?.id,
      notes,
      onChange: changed,
    });
  } else {
    render(element("session-bar"));
  }
  changed();
}

/**
 * Whose sign-in in another browser has ended is the same person here, and may see on what they saw; not again
 * and again, where servers do not agree on that.
 */
function stay() {
  if (visit?.phase !== "unauthorized" || visit.state === undefined || Date.now() < stayed + 5_000) return;
  stayed = Date.now();
  arrive();
}
let stayed = 0;

/** Something is new: the state, the connection, or what is on its way. */
function changed() {
  if (visit?.phase === "unauthorized") void identity.ask();
  if (visit?.state !== undefined) {
    if (place.kind === "lobby") lookForAsked(lobbyOf(visit.state));
    if (place.kind === "table") tableChanged(tableOf(visit.state));
  }
  draw();
}

/** @param {import("./wire.js").Lobby} state */
function lookForAsked(state) {
  if (!asked) return;
  const { name, known, isAccepted } = asked;
  const me = identity.person?.name;
  const made = state.tables.find((each) =>
    !known.has(each.id) && each.name === name && each.openedBy === me
  );
  if (made) {
    asked = null;
    wanted = made.id;
    location.hash = addresses.table(made.id);
  } else if (isAccepted && !visit?.isBusy("open") && !state.opening.includes(name)) {
    asked = null;
    notes.put("open", "The table could not be opened. Try again in a moment.");
  }
}

/** @param {import("./wire.js").Table} state */
function tableChanged(state) {
  if (lastTable && JSON.stringify(lastTable) !== JSON.stringify(state)) tell(lastTable, state);
  lastTable = state;
  const { person } = identity;
  if (place.kind !== "table" || wanted !== place.id || !person) return;
  wanted = null;
  if (hasFreeSeat(state) && !state.players.some(({ id }) => id === person.id)) {
    surroundings().sit();
  }
}

/**
 * Says, to be seen and to be heard, what happened and whose turn it is.
 * @param {import("./wire.js").Table} before
 * @param {import("./wire.js").Table} after
 */
function tell(before, after) {
  const sentence = happened(before, after, serverNow());
  if (sentence) news = sentence;
  const isMine = isTurn(after) && before.turn?.ends !== after.turn?.ends;
  if (before.turn?.ends !== after.turn?.ends) notes.clear("move");
  const count = after.hand.filter((card) => matches(card, after.top)).length;
  const cards = count === 1 ? "1 card" : `${count} cards`;
  const turn = isMine ? `Your turn: ${cards} can be played.` : "";
  if (sentence || turn) spoken.textContent = `${sentence ?? ""} ${turn}`.trim();
}

function draw() {
  const keep = keepAtEnd();
  const hadFocus = main.contains(document.activeElement);
  render(main, screen(surroundings()));
  keep();
  drawLost();
  drawTitle();
  moved();
  if (document.activeElement !== document.body) isFocusLost = false;
  else if (hadFocus) isFocusLost = true;
  if (isFocusLost) restoreFocus();
}

/** What had the keyboard is gone: it goes to the hand, or else to the heading. */
function restoreFocus() {
  const target = main.querySelector(".hand [tabindex='0']") ?? main.querySelector("h1");
  /** @type {any} */ (target)?.focus({ preventScroll: true });
}

/** @param {Surroundings} around */
function screen(around) {
  if (!identity.isKnown) return splash("One moment…");
  if (identity.isForgotten || place.kind === "welcome") {
    return welcome(around, identity.isForgotten);
  }
  const isGone = ["ended", "lost"].includes(visit?.phase ?? "");
  if (place.kind === "lobby") {
    if (isGone && !visit?.state) {
      return h("p", { class: "splash soft", role: "status" }, "This server has no lobby.");
    }
    return lobby(visit?.state ? lobbyOf(visit.state) : null, around);
  }
  if (isGone) return noTable();
  return visit?.state ? table(tableOf(visit.state), around) : splash("Going to the table…");
}

/** @param {string} text */
const splash = (text) =>
  h("p", { class: "splash soft", role: "status", key: "splash" },
    h("span", { class: "spinner", "aria-hidden": "true" }), ` ${text}`);

function drawLost() {
  const isLost = visit?.phase === "reconnecting" || (!identity.isKnown && isUnreachable);
  lost.textContent = isLost
    ? "The server is out of reach. Trying again… What you see may be old."
    : "";
}

function drawTitle() {
  const state = place.kind === "table" && visit?.state ? tableOf(visit.state) : null;
  const turn = state && isTurn(state) ? "Your turn" : "";
  document.title = [turn, state?.name, "Cards", "Statecast"].filter(Boolean).join(" · ");
}

/** @returns {Surroundings} */
function surroundings() {
  const me = identity.person;
  const act = (/** @type {import("./notes.js").Place} */ where, /** @type {any} */ action) =>
    visit?.act(where, action) ?? Promise.resolve(false);
  return {
    me,
    notes,
    hand,
    news,
    isSigningIn,
    isOpening: asked !== null,
    isSitting: visit?.isBusy("sit") ?? false,
    isSaying: visit?.isBusy("say") ?? false,
    signIn: (name) => void signIn(name),
    signOut: () => void signOut(),
    open: (name, seats) => void open(name, seats),
    sit: (name = me?.name ?? "") => void act("sit", actions.sat(name)),
    leave: () => void leave(),
    play: (card) => void act("move", actions.played(card)),
    draw: () => void act("move", actions.drew()),
    deal: () => void act("move", actions.dealt()),
    say: (text) => act("say", actions.said(text)),
  };
}

/** @param {string} name */
async function signIn(name) {
  if (isSigningIn) return;
  notes.clear();
  isSigningIn = true;
  draw();
  // Whoever signs in at a table with a free seat wants to sit there.
  if (place.kind === "table") wanted = place.id;
  try {
    await identity.signIn(name);
  } catch (error) {
    wanted = null;
    notes.put("signIn", error);
  }
  isSigningIn = false;
  draw();
}

async function signOut() {
  notes.clear();
  try {
    await identity.signOut();
    location.hash = addresses.welcome;
  } catch (error) {
    notes.put("signOut", error);
    draw();
  }
}

/**
 * @param {string} name
 * @param {number} seats
 */
async function open(name, seats) {
  if (asked || !visit?.state) return;
  const known = new Set(lobbyOf(visit.state).tables.map(({ id }) => id));
  const own = { name, known, isAccepted: false };
  asked = own;
  if (await visit.act("open", actions.opened(name, seats))) own.isAccepted = true;
  else asked = null;
  changed();
}

async function leave() {
  const left = visit;
  if (await left?.act("leave", actions.left()) && visit === left) location.hash = addresses.lobby;
}

/** After a change of screen: the top of the page, and the keyboard at its heading. */
function moved() {
  const name = main.querySelector("[data-testid]")?.getAttribute("data-testid") ?? "";
  if (name === shownScreen || name === "") return;
  const isFirst = shownScreen === "";
  shownScreen = name;
  scrollTo({ top: 0 });
  hideMessage();
  if (!isFirst) main.querySelector("h1")?.focus({ preventScroll: true });
}

/** The clock runs down; shortly before its end it says so to who cannot see it. */
function tick() {
  if (place.kind !== "table" || !visit?.state) return;
  const state = tableOf(visit.state);
  if (isTurn(state) && state.turn && secondsLeft(state.turn) === 10) {
    spoken.textContent = "Ten seconds left.";
  }
  if (state.phase === "playing") draw();
}

addEventListener("hashchange", () => {
  notes.clear();
  if (identity.isKnown) arrive();
});
setInterval(tick, 1_000);
draw();
await identity.ask(() => {
  isUnreachable = true;
  draw();
});
