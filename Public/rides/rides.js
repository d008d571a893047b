/**
 * The Rides page: a map, a panel for what is asked, a profile, and errors to acknowledge.
 *
 * For tests, besides what `panels.js` and `/client/ui/session-page.js` list: `profile-button`, `profile`
 * (a dialog), `profile-name`, `sign-out`, `close-profile`; `fault` (a dialog with `data-id`),
 * `acknowledge`, `retry`; `map` with `pin-pickup` and `pin-dropoff`.
 */
import { TextField, request } from "/client/statecast.js";
import { StateDialog } from "/client/ui/dialog.js";
import { h, render } from "/client/ui/dom.js";
import { hideMessage, openPage, senderTo, showError } from "/client/ui/session-page.js";
import { map } from "./map.js";
import { panel } from "./panels.js";
import { actions, screenOf } from "./wire.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
await goOn();
const mirror = await openPage("/rides", { isPersonal: true });

const send = senderTo(mirror);
/**
 * What is wrong with the form that was sent last.
 * @type {import("/client/statecast.js").StatecastError | null}
 */
let refusal = null;

/** The one whose cookie this browser has, by the id of their session. */
function signedIn() {
  return request("/rides/me").catch(() => null);
}

/** In an address without a session, the one that this browser has signed in to. */
async function goOn() {
  const url = new URL(location.href);
  if (url.searchParams.has("session")) return;
  const person = await signedIn();
  if (!person) return;
  url.searchParams.set("session", person.id);
  history.replaceState(history.state, "", url);
}

/**
 * Sends a form to its route, which answers as soon as the session has. Why nobody was let in, the session
 * shows, and who is. Where another server has the session, the session itself is sent the form, and the
 * browser gets no cookie.
 * @param {"signIn" | "signUp"} form
 * @param {object} values
 */
async function submit(form, values) {
  refusal = null;
  const route = form === "signIn" ? "/rides/sign-in" : "/rides/sign-up";
  const body = { ...values, session: mirror.id };
  await request(route, { body, timeout: 60_000 }).catch(async (error) => {
    if (error.code !== "moved") throw error;
    await mirror.dispatch(actions.submitted(form, values));
  }).catch((error) => {
    if (error.errors?.some(({ pointer }) => pointer)) refusal = error;
    else if (!["not-let-in", "not-signing-in", "not-signing-up"].includes(error.code)) showError(error);
  });
  draw();
}

/**
 * Signing out of the session ends what its cookies stand for, in whatever browsers they are. The cookie of
 * this one may lead to another session, which stays signed in.
 */
async function signOut() {
  const person = await signedIn();
  if (person?.id === mirror.id) await request("/rides/sign-out", { body: {} }).catch(() => {});
  await send(actions.signedOut());
}

const query = new TextField({ mirror, action: actions.queryEdited, onError: showError });

const profile = new StateDialog({
  name: "sheet",
  id: "profile",
  labelledBy: "profile-name",
  onEscape: () => send(actions.profileClosed()),
});
const fault = new StateDialog({
  name: "fault-dialog",
  id: "fault",
  labelledBy: "fault-title",
  isAlert: true,
});
let shownScreen = "";

/** How much of the map the panel covers: a column at the left, or the lower part of a phone. */
function frame() {
  const { clientWidth: width, clientHeight: height } = main;
  const panelElement = main.querySelector(".panel");
  if (width >= 720) return { width, height, left: 440, bottom: 0 };
  const bottom = Math.min(panelElement?.clientHeight ?? 240, height * 0.62);
  return { width, height, left: 0, bottom };
}

function draw() {
  if (mirror.state === undefined) return;
  const screen = screenOf(mirror.state);
  if (screen.name !== shownScreen) refusal = null;
  const view = () =>
    render(
      main,
      h("div", { class: "map-frame", key: "map" }, map(screen, frame())),
      screen.user ? profileButton(screen.user) : null,
      panel(screen, { send, submit, query, refusal }),
    );
  view();
  if (frame().bottom > 0) view();
  if (screen.name === "dropoff") query.sync(screen.query);
  const hadFault = fault.isOpen;
  profile.show(screen.isProfileOpen && screen.user ? profileSheet(screen.user) : null);
  fault.show(screen.faults.length > 0 ? faultText(screen.faults[0]) : null);
  fault.element.dataset.id = screen.faults[0]?.id ?? "";
  moved(screen.name, hadFault && !fault.isOpen);
}

/** @param {import("./wire.js").User} user */
function profileButton(user) {
  return h("button", {
    class: "avatar",
    type: "button",
    key: "avatar",
    "data-testid": "profile-button",
    "aria-label": `Profile of ${user.fullName}`,
    onclick: () => send(actions.profileOpened()),
  }, initials(user.fullName));
}

/** @param {string} name */
const initials = (name) =>
  name.trim().split(/\s+/).slice(0, 2).map(([first]) => first ?? "").join("").toUpperCase();

/** @param {any} user */
const profileSheet = (user) =>
  h(
    "div",
    { class: "stack", key: "profile" },
    h("div", { class: "person" },
      h("span", { class: "avatar large", "aria-hidden": "true" }, initials(user.fullName)),
      h("h2", { id: "profile-name", "data-testid": "profile-name" }, user.fullName),
      h("p", { class: "soft" }, `The driver calls you ${user.nickname}.`)),
    h("dl", { class: "facts" },
      h("dt", { class: "soft" }, "E-mail"), h("dd", null, user.email),
      h("dt", { class: "soft" }, "Mobile"), h("dd", null, user.mobileNumber)),
    h("div", { class: "side-by-side" },
      h("button", {
        class: "button danger",
        type: "button",
        "data-testid": "sign-out",
        onclick: signOut,
      }, "Sign out"),
      h("button", {
        class: "button primary",
        type: "button",
        autofocus: true,
        "data-testid": "close-profile",
        onclick: () => send(actions.profileClosed()),
      }, "Close")),
  );

/** @param {import("./wire.js").Fault} shown */
const faultText = (shown) =>
  h(
    "div",
    { class: "stack", key: shown.id },
    h("h2", { id: "fault-title" }, shown.title),
    h("p", { class: "soft" }, shown.message),
    h("div", { class: "side-by-side" },
      shown.retry
        ? h("button", {
          class: "button",
          type: "button",
          "data-testid": "retry",
          onclick: () => shown.retry && send(shown.retry),
        }, "Try again")
        : null,
      h("button", {
        class: "button primary",
        type: "button",
        autofocus: true,
        "data-testid": "acknowledge",
        onclick: () => send(shown.acknowledge),
      }, shown.label)),
  );

/**
 * After a change of screen the keyboard goes to what it asks for, and after an error, too: what
 * was in use before may have been locked meanwhile.
 * @param {string} name
 * @param {boolean} isFaultOver
 */
function moved(name, isFaultOver) {
  const isLost = isFaultOver && document.activeElement === document.body;
  if (name === shownScreen && !isLost) return;
  const isFirst = shownScreen === "";
  shownScreen = name;
  if (!isLost) hideMessage();
  if (isFirst || profile.isOpen || fault.isOpen) return;
  const field = matchMedia("(pointer: fine)").matches ? main.querySelector(".panel input") : null;
  const target = field ?? main.querySelector(".panel h1") ?? main.querySelector(".panel button");
  /** @type {any} */ (target)?.focus({ preventScroll: true });
}

mirror.onState(draw);
new ResizeObserver(draw).observe(main);
