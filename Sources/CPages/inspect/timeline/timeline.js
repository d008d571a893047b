/**
 * The Timeline page: what happened in a session, or in a recording of one.
 *
 * `?session=/rides/sessions/abc` names the session, `?version=17` one of its versions, `?against=9` the one
 * that it is compared with; `?beside=/rides/sessions/def` another session that is compared with this one,
 * entry by entry.
 * What is shown: see `workspace.js` and `welcome.js`.
 */
import { render } from "/client/ui/dom.js";
import { showBar, showMessage } from "/client/ui/session-page.js";
import { faultOf } from "./faults.js";
import { addressOf, placeInAddress } from "./place.js";
import { PlayDialog } from "./play-dialog.js";
import { openRecording } from "./recording.js";
import { SessionLog } from "./session-log.js";
import { welcome } from "./welcome.js";
import { Workspace } from "./workspace.js";

const element = (/** @type {string} */ id) =>
  /** @type {HTMLElement} */ (document.getElementById(id));
const main = element("main");

/** @type {Workspace | null} */ let workspace = null;
/** Counts what was opened: an answer that comes too late is not shown. */
let openings = 0;

const player = new PlayDialog((place, beside) => {
  const version = beside ? workspace?.selected : null;
  go(addressOf(place, version, null, beside));
});

/** @param {string} text */
function speak(text) {
  element("spoken").textContent = text;
}

let addressTimer = 0;

/**
 * Keeps the address at what is looked at. Browsers refuse to be told of each row that goes by.
 * @param {string} href
 */
function putInAddress(href) {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    if (href !== location.href) history.replaceState(history.state, "", href);
  }, 300);
}

/**
 * Goes to another session.
 * @param {string} address
 */
function go(address) {
  history.pushState(null, "", address);
  openAddress();
}

function clear() {
  openings += 1;
  clearTimeout(addressTimer);
  workspace?.close();
  workspace = null;
  render(main);
  render(element("session-bar"));
  return openings;
}

/** Opens what the address names. */
async function openAddress() {
  const opening = clear();
  const { path, place, beside, version, against } = placeInAddress();
  if (!place) {
    const message = `${path} is no path of a session.`;
    showWelcome(path ? { title: "No session.", message } : null);
    return;
  }
  const log = new SessionLog(place);
  let former = beside && new SessionLog(beside);
  const close = () => [log, former].forEach((each) => each?.close());
  try {
    await Promise.all([log.open(), former?.open().catch(({ message }) => {
      showMessage(`What it is to be compared with cannot be read: ${message}`);
      former = null;
    })]);
  } catch (error) {
    close();
    if (opening === openings) showWelcome(faultOf(error), place);
    return;
  }
  if (opening !== openings) return close();
  show(log, { version, against, former });
  if (log.mirror) showBar(log.mirror);
}

/** @param {File} file */
async function openFile(file) {
  try {
    const recording = await openRecording(file);
    clear();
    history.pushState(null, "", addressOf(null));
    show(recording, { version: null, against: null, former: null });
  } catch (error) {
    const { message } = /** @type {any} */ (error);
    if (workspace) showMessage(message);
    else showWelcome({ title: "This recording cannot be shown.", message });
  }
}

/**
 * @param {import("./workspace.js").Source} source
 * @param {object} at
 * @param {number | null} at.version
 * @param {number | null} at.against
 * @param {SessionLog | null} at.former The session that it is compared with.
 */
function show(source, { version, against, former }) {
  const { place } = source;
  const name = source.kind === "session" ? source.place.id : source.name;
  document.title = `${name} · Timeline · Statecast`;
  const href = (/** @type {number | null} */ at, /** @type {number | null} */ other = null) =>
    addressOf(place, at, other, former?.place);
  workspace = new Workspace(main, source, {
    version,
    against,
    former,
    href,
    onVersion: (at, other) => putInAddress(href(at, other)),
    onPlay: (playable) => player.open(playable),
    onFile: openFile,
    speak,
  });
}

/**
 * @param {{ title: string, message: string } | null} fault
 * @param {import("./place.js").Place} [place]
 */
function showWelcome(fault, place) {
  document.title = "Timeline · Statecast";
  render(main, welcome({
    fault,
    mount: place?.mount ?? "/rides",
    id: place?.id ?? "",
    onPlace: (chosen) => go(addressOf(chosen, null)),
    onFile: openFile,
    onRetry: fault && place ? openAddress : null,
  }));
}

/** A recording can be dropped anywhere. */
function takeDrops() {
  const isFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    document.body.classList.add("takes-drop");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("takes-drop");
  });
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("takes-drop");
    if (!isFile(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) openFile(file);
  });
}

takeDrops();
window.addEventListener("popstate", openAddress);
openAddress();
