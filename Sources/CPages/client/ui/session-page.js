/**
 * What every page of a session has: the session's id in the address, the bar with the connection,
 * the mode and the button that shares the link, and messages.
 *
 * `?session=<id>` names the session, which is made by nobody but who asks for that; a page without one
 * makes a session of its own. `?mode=stream|longPoll|poll` is the mode.
 *
 * For tests:
 * `[data-testid=connection]` has `data-phase`, `data-mode`, `data-version` and `data-shared`;
 * `[data-testid=mode]` is the select, `[data-testid=share]` the button, `[data-testid=timeline]` the
 * link to the session's timeline, `[data-testid=message]` a message that is shown,
 * `[data-testid=reload]` the offer of a newer page, `[data-testid=begin-anew]` that of a new session
 * in the place of one that the server has not, `[data-testid=absent]` what stands in for a state that
 * was never seen.
 */
import { Mirror, createSession, modes } from "/client/statecast.js";
import { h, render } from "./dom.js";

const phases = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  outOfScope: "Out of scope",
  ended: "Ended",
  lost: "Lost",
  unauthorized: "Not allowed",
  refused: "Refused",
  closed: "Closed",
};
const modeNames = { stream: "Stream", longPoll: "Long-poll", poll: "Poll" };
const words = [
  "amber brisk calm dapper early fern gentle hazel ivory jolly keen lunar mellow noble opal quiet",
  "otter kite lantern meadow pebble harbor comet willow sparrow ember canyon maple raven orbit",
].map((line) => line.split(" "));

/** An id that begins with words, and goes on with 130 bits that cannot be guessed. */
function makeID() {
  const [first, second, ...rest] = crypto.getRandomValues(new Uint8Array(28));
  const tail = rest.map((byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31]).join("");
  return `${words[0][first % words[0].length]}-${words[1][second % words[1].length]}-${tail}`;
}

/**
 * Nobody signs in on these pages, and a session shows all who know its id the same: all tabs of a
 * browser may share a connection.
 */
export const identity = "everybody";

/** The id in the address, if one is there. */
function idInAddress() {
  const known = new URL(location.href).searchParams.get("session");
  const isID = known && /^[A-Za-z0-9._~-]{1,128}$/.test(known) && !/^\.\.?$/.test(known);
  return isID ? known : undefined;
}

/**
 * Puts an id into the address, from which the page can be opened again, or by others.
 * @param {string} id
 * @param {string} [unmade] The same where it was made up here, and the server has yet to make it.
 */
function putInAddress(id, unmade) {
  const url = new URL(location.href);
  url.searchParams.set("session", id);
  history.replaceState({ ...history.state, unmade }, "", url);
  return id;
}

/** The id in the address, or a new one that is put there. */
export function sessionInAddress() {
  const known = idInAddress();
  if (known) return known;
  const id = makeID();
  return putInAddress(id, id);
}

/**
 * Opens the page's session and draws its bar.
 * @param {string} mount Where the application is mounted.
 * @param {import("/client/statecast.js").MirrorOptions & { isPersonal?: boolean }} options
 *   `isPersonal`: the session holds what is one person's, so that its id is the server's to make.
 */
export async function openPage(mount, { isPersonal = false, ...options } = {}) {
  const known = isPersonal ? idInAddress() : sessionInAddress();
  const id = await makeSession(mount, known);
  const mirror = new Mirror(mount, id, { mode: modeInAddress(), identity, ...options });
  showBar(mirror);
  mirror.onStatus(() => showAbsence(mirror));
  window.addEventListener("pagehide", (event) => {
    if (!event.persisted) mirror.close();
  });
  return mirror;
}

/** The mode that the address asks for; a stream where it asks for none. */
export function modeInAddress() {
  const asked = new URL(location.href).searchParams.get("mode")?.replace("-", "").toLowerCase();
  return modes.find((known) => known.toLowerCase() === asked) ?? "stream";
}

/**
 * Draws the bar of a session, until the mirror is closed.
 * @param {Mirror} mirror
 * @param {boolean} [canMake] Whether the page can make a session that the server has lost.
 */
export function showBar(mirror, canMake = true) {
  const bar = document.getElementById("session-bar");
  if (!bar) return;
  let wasLost = false;
  const draw = () => {
    if (mirror.status.phase !== "closed") render(bar, sessionBar(mirror, canMake));
  };
  let phase = "";
  let isToldLost = false;
  mirror.onStatus((status) => {
    draw();
    const isLost = status.phase === "lost" && phase !== "lost";
    if (isLost && mirror.state !== undefined) {
      showMessage("The server no longer has this session. What you see is what it was.");
      isToldLost = true;
    }
    phase = status.phase;
    if (isToldLost && phase === "live") {
      hideMessage();
      isToldLost = false;
    }
    // Another server may have come; not all pages ask it at once.
    if (wasLost && phase === "live") {
      setTimeout(() => lookForNewer().then(draw), 4_000 * Math.random());
    }
    wasLost = phase === "reconnecting" || (wasLost && phase !== "live");
  });
  mirror.onState(draw);
}

/** The scripts and styles that the page is made of. */
const files = performance.getEntriesByType("resource").map(({ name }) => name)
  .filter((name) => name.startsWith(`${location.origin}/`) && /\.(js|css)$/.test(name));
const loadedTags = fileTags("force-cache");
let isOutdated = false;

/**
 * The tags of the page's files.
 * @param {RequestCache} cache `force-cache` for those that were loaded.
 */
async function fileTags(cache) {
  const answers = await Promise.all(files.map((file) => fetch(file, { cache }))).catch(() => []);
  return answers.map((answer) => answer.headers.get("ETag"));
}

/** Looks whether the server has other files than those that were loaded. */
async function lookForNewer() {
  const [loaded, present] = await Promise.all([loadedTags, fileTags("no-cache")]);
  isOutdated ||= present.some((tag, index) => tag && loaded[index] && tag !== loaded[index]);
}

/**
 * Makes a session, tried again while the server may accept it; not one that others have named, or that
 * was there before: where the server has it not it is lost, and made again only by who asks for that.
 * @param {string} mount
 * @param {string} [known] Its id; without one, the server makes one that nobody guesses.
 * @returns {Promise<string>} The id, also of a session that is refused: following it tells why.
 */
export async function makeSession(mount, known) {
  if (known && known !== history.state?.unmade) return known;
  for (let wait = 1_000;; wait = Math.min(wait * 2, 15_000)) {
    try {
      const id = await createSession(mount, known, { attempts: 1 });
      hideMessage();
      return putInAddress(id);
    } catch (error) {
      const { status, message, reaction } = /** @type {any} */ (error);
      showMessage(status ? message : "The server cannot be reached. Trying again…");
      if (reaction !== "again") {
        if (known) return known;
        throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/**
 * @param {Mirror} mirror
 * @param {boolean} canMake
 */
function sessionBar(mirror, canMake) {
  const { phase, mode, isShared } = mirror.status;
  return [
    h(
      "p",
      {
        class: "connection",
        "data-testid": "connection",
        "data-phase": phase,
        "data-mode": mode,
        "data-version": mirror.version,
        "data-shared": String(isShared),
        title: isShared ? "By the connection of another tab" : "By a connection of its own",
      },
      h("span", { class: "dot", "aria-hidden": "true" }),
      h("span", { role: "status" }, phases[phase]),
      h("a", {
        class: "version",
        "data-testid": "timeline",
        href: `/inspect/timeline/?session=${new URL(mirror.address.url).pathname}`,
        title: "What happened until here",
        "aria-label": `Version ${mirror.version}: what happened until here`,
      }, `v${mirror.version}`),
    ),
    h(
      "select",
      {
        class: "select",
        "data-testid": "mode",
        "aria-label": "How the page follows the session",
        value: mirror.options.mode,
        onchange: (/** @type {any} */ event) => chooseMode(mirror, event.currentTarget.value),
      },
      modes.map((each) =>
        h(
          "option",
          { value: each, key: each, selected: each === mirror.options.mode },
          modeNames[each],
        )
      ),
    ),
    phase === "lost" && canMake
      ? h("button", {
        class: "button small primary",
        type: "button",
        "data-testid": "begin-anew",
        onclick: () => beginAnew(mirror).catch(showError),
      }, "Begin anew")
      : h("button", {
        class: "button small",
        type: "button",
        "data-testid": "share",
        onclick: share,
      }, "Share"),
    isOutdated
      ? h(
        "button",
        {
          class: "button small",
          type: "button",
          "data-testid": "reload",
          title: "The server has a newer version of this page; what is shown goes on as it is",
          onclick: () => location.reload(),
        },
        "Reload: new version",
      )
      : null,
  ];
}

/**
 * Says why there is no state, in its place.
 * @param {Mirror} mirror
 */
function showAbsence({ state, status: { phase, problem } }) {
  const text = phase === "lost"
    ? "The server has no session at this address: it was never made, or it is lost."
    : problem?.detail;
  if (state !== undefined || !text) return;
  render(
    /** @type {HTMLElement} */ (document.getElementById("main")),
    h("section", { class: "card absent", "data-testid": "absent", role: "status" },
      h("h1", null, phases[phase]), h("p", { class: "soft" }, text)),
  );
}

/**
 * Makes a session again that the server has lost.
 * @param {Mirror} mirror
 */
export async function beginAnew(mirror) {
  await createSession(mirror.mount, mirror.id);
  hideMessage();
  mirror.restart();
}

/**
 * @param {Mirror} mirror
 * @param {any} mode
 */
function chooseMode(mirror, mode) {
  const url = new URL(location.href);
  url.searchParams.set("mode", mode);
  history.replaceState(history.state, "", url);
  mirror.setMode(mode);
}

/** Hands the page's address on: whoever opens it sees the same session. */
export async function share() {
  const url = location.href;
  const isTouch = matchMedia("(pointer: coarse)").matches;
  if (navigator.share && isTouch) return navigator.share({ url }).catch(() => {});
  const isCopied = await copy(url);
  if (isCopied) showMessage("Link copied. Whoever opens it sees the same.", "notice");
  else showMessage(`The browser does not let the page copy its address: ${url}`);
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * For pages over plain HTTP, which have no clipboard.
 * @param {string} text
 */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

let noticeTimer = 0;
/** Counts the messages: what has put one up takes no other away. */
let messageNumber = 0;

/**
 * Shows a line at the bottom, above everything else, and reads it out: a notice for some seconds, an
 * error until somebody closes it, or it is over.
 * @param {string} text
 * @param {"error" | "notice"} [kind]
 */
export function showMessage(text, kind = "error") {
  const region = document.getElementById("messages") ?? document.createElement("div");
  region.id = "messages";
  region.setAttribute("role", kind === "error" ? "alert" : "status");
  region.setAttribute("popover", "manual");
  hideMessage();
  // Whatever is outside of a dialog cannot be closed while that is open.
  (document.querySelector("dialog:modal") ?? document.body).append(region);
  region.showPopover?.();
  messageNumber += 1;
  if (kind === "notice") noticeTimer = setTimeout(hideMessage, 6_000);
  render(
    region,
    h(
      "div",
      { class: `message ${kind}`, "data-testid": "message" },
      h("p", null, text),
      h("button", {
        type: "button",
        class: "close",
        "aria-label": "Close",
        onclick: hideMessage,
      }, "×"),
    ),
  );
}

/** Takes the message away. */
export function hideMessage() {
  clearTimeout(noticeTimer);
  const region = document.getElementById("messages");
  if (!region) return;
  render(region);
  if (region.matches(":popover-open")) region.hidePopover();
}

/**
 * Shows the server's reason for a "no".
 * @param {any} error
 */
export function showError(error) {
  if (error?.name !== "AbortError") showMessage(error?.message ?? String(error));
}

/**
 * Sends the actions of a page: a "no" is told, until an action that is sent after it is accepted.
 * @param {Mirror} mirror
 * @returns {(action: import("/client/statecast.js").Action) => Promise<void>}
 */
export const senderTo = (mirror) => async (action) => {
  const number = messageNumber;
  try {
    await mirror.dispatch(action);
    if (number === messageNumber) hideMessage();
  } catch (error) {
    showError(error);
  }
};
