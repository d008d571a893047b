/**
 * What lies over the map, one panel for each screen, as pure functions of what the server says.
 *
 * For tests, `data-testid`: `panel` (with `data-screen`); `welcome-sign-in`, `welcome-sign-up`;
 * `form`, its inputs by name (`email`, `password`, `fullName`, `nickname`, `mobileNumber`), `fault-` and the
 * name of one, `submit`, `go-back`; `where-to`; `query`, `place` (with `data-id`), `no-places`, `cancel`;
 * `option` (with `data-id`, `aria-pressed`), `no-options`, `retry-options`, `confirm`; `sending`;
 * `finish`; `again`.
 */
import { h } from "/client/ui/dom.js";
import { actions } from "./wire.js";

/**
 * @typedef {object} Surroundings
 * @property {(action: any) => void} send
 * @property {(form: "signIn" | "signUp", values: object) => void} submit What sends a form.
 * @property {import("/client/statecast.js").StatecastError | null} refusal Of the form that was sent last.
 * @property {import("/client/statecast.js").TextField} query
 *
 * @typedef {import("./wire.js").Screen} Screen
 */

/**
 * @param {Screen} screen
 * @param {Surroundings} around
 */
export function panel(screen, around) {
  return h(
    "section",
    { class: "panel card", "data-testid": "panel", "data-screen": screen.name, key: screen.name },
    panels[screen.name](screen, around),
  );
}

/** @type {Record<import("./wire.js").Name, (screen: Screen, around: Surroundings) => any>} */
const panels = {
  launching: () => waiting("Rides", "Checking whether you are signed in…"),
  welcome: (_, { send }) => [
    heading("A city, three vehicles"),
    h("p", { class: "soft" }, "Say where to, choose what comes, and watch it being ordered."),
    h("div", { class: "stack" },
      button("welcome-sign-in", "Sign in", () => send(actions.signInChosen()), "primary"),
      button("welcome-sign-up", "Create an account", () => send(actions.signUpChosen()))),
  ],
  signIn: (screen, around) => form("signIn", screen, around, "Sign in", signInFields),
  signUp: (screen, around) => form("signUp", screen, around, "Sign up", signUpFields),
  locating: () => waiting("Finding you", "Asking where in the city you are…"),
  whereTo: ({ user }, { send }) => [
    h("h1", { class: "soft hello", tabindex: "-1" }, `Hello, ${user?.nickname || user?.fullName}.`),
    h(
      "button",
      {
        class: "where-to",
        type: "button",
        "data-testid": "where-to",
        onclick: () => send(actions.destinationTapped()),
      },
      h("span", { class: "square", "aria-hidden": "true" }),
      "Where to?",
    ),
  ],
  dropoff: destinationPicker,
  option: optionPicker,
  sending: ({ option, destination }) => [
    h("div", { class: "ordered", "data-testid": "sending" }, picture(option),
      heading(`Ordering ${option?.name ?? "a ride"}`),
      h("p", { class: "soft", role: "status" }, `To ${destination?.name ?? "your destination"}`)),
    h("div", { class: "progress", role: "progressbar", "aria-label": "Ordering" }),
  ],
  final: ({ option, destination }, { send }) => [
    h("div", { class: "ordered" }, picture(option), heading("It is on its way"),
      h("p", { class: "soft", role: "status" },
        `${option?.name ?? "Your ride"} to ${destination?.name ?? "your destination"}`)),
    button("finish", "Done", () => send(actions.finished()), "primary"),
  ],
  waiting: (_, { send }) => [
    heading("Wait at the kerb"),
    h("p", { class: "soft", role: "status" }, "Your ride knows where you are. Look out for it."),
    button("again", "Order another", () => send(actions.startedAgain()), "primary"),
  ],
};

const signInFields = [
  ["email", "E-mail", "email", "username"],
  ["password", "Password", "password", "current-password"],
];
const signUpFields = [
  ["fullName", "Full name", "text", "name"],
  ["nickname", "What the driver calls you", "text", "nickname"],
  ["email", "E-mail", "email", "username"],
  ["mobileNumber", "Mobile number", "tel", "tel"],
  ["password", "Password", "password", "new-password"],
];

/**
 * @param {"signIn" | "signUp"} name
 * @param {Screen} screen
 * @param {Surroundings} around
 * @param {string} title
 * @param {string[][]} fields
 */
function form(name, { form }, { send, submit, refusal }, title, fields) {
  const isLocked = !form?.isEnabled;
  return h(
    "form",
    {
      class: "stack",
      "data-testid": "form",
      "aria-busy": String(form?.isBusy),
      novalidate: true,
      onsubmit: (/** @type {any} */ event) => {
        event.preventDefault();
        submit(name, Object.fromEntries(new FormData(event.currentTarget)));
      },
    },
    heading(title),
    fields.map(([field, label, type, autocomplete]) => {
      // Of a route's body, or of an action.
      const fault = refusal?.fault(`/${field}`) ?? refusal?.fault(`/payload/${field}`);
      return h("div", { class: "field", key: field },
        h("label", { for: `field-${field}` }, label),
        h("input", {
          class: "input",
          id: `field-${field}`,
          name: field,
          "data-testid": field,
          type,
          autocomplete,
          maxlength: 256,
          disabled: isLocked,
          "aria-invalid": fault ? "true" : null,
          "aria-describedby": fault ? `fault-${field}` : null,
        }),
        fault
          ? h("p", {
            class: "failure-text",
            role: "alert",
            id: `fault-${field}`,
            "data-testid": `fault-${field}`,
          }, fault)
          : null);
    }),
    name === "signIn"
      ? h("p", { class: "soft small-text" }, "To try it: ", h("code", null, "rosa@example.com"),
        " and ", h("code", null, "open-sesame"))
      : h("p", { class: "soft small-text" },
        "Your password is handed on once. It is kept in no state and no log."),
    h("div", { class: "side-by-side form-actions" },
      button("go-back", "Back", () => send(actions.wentBack())),
      h("button", {
        class: "button primary",
        type: "submit",
        "data-testid": "submit",
        disabled: isLocked,
      }, form?.isBusy ? h("span", { class: "spinner", "aria-hidden": "true" }) : null,
        form?.isBusy ? "One moment" : title)),
  );
}

/**
 * @param {Screen} screen
 * @param {Surroundings} around
 */
function destinationPicker({ results, isSearching, faults }, { send, query }) {
  const isEmpty = results.length === 0 && !isSearching && faults.length === 0;
  return [
    h("div", { class: "panel-head" }, heading("Where to?"), cancel(send)),
    h("div", { class: "query" },
      h("input", {
        class: "input",
        type: "search",
        "data-testid": "query",
        "aria-label": "Search for a place",
        placeholder: "Search for a place",
        autocomplete: "off",
        maxlength: 200,
        ref: query.ref,
      }),
      isSearching
        ? h("span", { class: "spinner", role: "status", "aria-label": "Searching" })
        : null),
    h("p", { class: "unseen", role: "status", key: "found" },
      isSearching ? "" : `${results.length} ${results.length === 1 ? "place" : "places"}`),
    isEmpty
      ? h("p", { class: "empty", key: "none", "data-testid": "no-places" },
        "No place of that name.")
      : null,
    results.length === 0 && isSearching ? skeletons() : null,
    h("ul", { class: "places" }, results.map((place) =>
      h("li", { key: place.id },
        h("button", {
          class: "place",
          type: "button",
          "data-testid": "place",
          "data-id": place.id,
          onclick: () => send(actions.dropoffChosen(place.id)),
        }, h("span", { class: "place-pin", "aria-hidden": "true" }),
          h("span", null, h("b", null, place.name),
            h("span", { class: "soft small-text" }, place.address))))
    )),
  ];
}

/**
 * @param {Screen} screen
 * @param {Surroundings} around
 */
function optionPicker(screen, { send }) {
  const { options, isLoadingOptions, selected, isConfirming, destination, option, faults } = screen;
  const isEmpty = options.length === 0 && !isLoadingOptions && faults.length === 0;
  return [
    h("div", { class: "panel-head" }, heading(`To ${destination?.name ?? "there"}`), cancel(send)),
    isLoadingOptions ? skeletons() : null,
    isEmpty
      ? h("div", { class: "empty stack", "data-testid": "no-options" },
        h("p", null, "Nothing drives here now."),
        button("retry-options", "Try again", () => send(actions.optionsRetried())))
      : null,
    h("ul", { class: "options" }, options.map((each) =>
      h("li", { key: each.id },
        h("button", {
          class: "option",
          type: "button",
          "data-testid": "option",
          "data-id": each.id,
          "aria-pressed": String(each.id === selected),
          onclick: () => send(actions.optionChosen(each.id)),
        }, picture(each),
          h("span", { class: "option-text" },
            h("b", null, each.name, h("span", { class: "soft seats" }, ` · ${seats(each)}`)),
            h("span", { class: "soft small-text" }, each.note)),
          h("span", { class: "price" }, price(each))))
    )),
    isConfirming && option
      ? button("confirm", `Order ${option.name} for ${price(option)}`,
        () => send(actions.confirmed()), "primary")
      : options.length > 0
      ? h("p", { class: "soft small-text hint" }, "Choose what picks you up.")
      : null,
  ];
}

/** @param {import("./wire.js").Option | null} option */
const picture = (option) =>
  option && h("img", {
    class: "vehicle",
    src: option.pictures.x1,
    srcset: `${option.pictures.x1} 1x, ${option.pictures.x2} 2x, ${option.pictures.x3} 3x`,
    alt: "",
  });

/** @param {import("./wire.js").Option} option */
const price = ({ priceCents, currency }) =>
  (priceCents / 100).toLocaleString(undefined, { style: "currency", currency });

/** @param {import("./wire.js").Option} option */
const seats = (option) => (option.seats === 1 ? "1 seat" : `${option.seats} seats`);

/**
 * @param {string} title
 * @param {string} text
 */
const waiting = (title, text) => [
  heading(title),
  h("p", { class: "soft", role: "status" },
    h("span", { class: "spinner", "aria-hidden": "true" }), ` ${text}`),
];

/** @param {string} text */
const heading = (text) => h("h1", { tabindex: "-1" }, text);

/** @param {(action: any) => void} send */
const cancel = (send) =>
  h("button", {
    class: "button small",
    type: "button",
    "data-testid": "cancel",
    onclick: () => send(actions.destinationCancelled()),
  }, "Cancel");

/**
 * @param {string} id
 * @param {string} text
 * @param {() => void} onclick
 * @param {string} [kind]
 */
const button = (id, text, onclick, kind = "") =>
  h("button", { class: `button wide ${kind}`, type: "button", "data-testid": id, onclick }, text);

const skeletons = () =>
  h("div", { class: "stack", key: "skeletons", "aria-hidden": "true" },
    [1, 2, 3].map((key) => h("div", { class: "skeleton line", key: String(key) })));
