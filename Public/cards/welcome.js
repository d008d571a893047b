/**
 * The first screen, and the form that asks for a name wherever one is needed.
 *
 * For tests, `data-testid`: `welcome`, `name`, `sign-in`, `fault-signIn`, `look-around`,
 * `forgotten`.
 */
import { h } from "/client/ui/dom.js";
import { face } from "./faces.js";
import { addresses } from "./place.js";

/** Of each suit one, and the fifth matches the fourth. */
const shown = [24, 7, 38, 48, 35];

/**
 * @param {import("./cards.js").Surroundings} around
 * @param {boolean} isForgotten Whether the browser's sign-in is no longer known.
 */
export function welcome(around, isForgotten) {
  return h(
    "section",
    { class: "welcome", "data-testid": "welcome", key: "welcome" },
    h(
      "div",
      { class: "welcome-text" },
      h("h1", { tabindex: "-1" }, "A game of cards, at one table"),
      h(
        "p",
        { class: "soft lead" },
        "Match the suit or the rank of the card on top, or draw one. Who has no card left has won.",
      ),
      h("div", { class: "fan", "aria-hidden": "true" }, shown.map((card, index) =>
        h("span", { class: "playing-card", style: { "--place": String(index - 2) }, key: card },
          face(card))
      )),
    ),
    h(
      "div",
      { class: "card welcome-form" },
      isForgotten
        ? h("p", { class: "fault", role: "status", "data-testid": "forgotten" },
          "You were signed in, but the server no longer knows it. Please sign in again.")
        : null,
      nameForm(around, "Sign in"),
      isForgotten
        ? null
        : h("a", {
          class: "button plain wide",
          href: addresses.lobby,
          "data-testid": "look-around",
        }, "Look around first"),
      h(
        "p",
        { class: "soft small-text" },
        "A name is all it takes. Each browser is a player of its own, so open a second one to " +
          "play against yourself.",
      ),
    ),
  );
}

/**
 * Asks for a name.
 * @param {import("./cards.js").Surroundings} around
 * @param {string} label What the button says.
 */
export function nameForm({ notes, isSigningIn, signIn }, label) {
  return h(
    "form",
    {
      class: "name-form",
      novalidate: true,
      "aria-busy": String(isSigningIn),
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const form = /** @type {HTMLFormElement} */ (event.currentTarget);
        signIn(String(new FormData(form).get("name")).trim());
        /** @type {any} */ (form.elements.namedItem("name")).focus();
      },
    },
    h(
      "div",
      { class: "field" },
      h("label", { for: "name" }, "Your name"),
      h("input", {
        class: "input",
        id: "name",
        name: "name",
        "data-testid": "name",
        autocomplete: "nickname",
        maxlength: 40,
        ...notes.fieldProps("signIn"),
      }),
    ),
    notes.show("signIn"),
    h("button", {
      class: "button primary wide",
      type: "submit",
      "data-testid": "sign-in",
      "aria-disabled": isSigningIn ? "true" : null,
    }, isSigningIn ? h("span", { class: "spinner", "aria-hidden": "true" }) : null, label),
  );
}
