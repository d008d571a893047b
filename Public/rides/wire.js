/**
 * How the Rides application looks on the wire, and nowhere else in the page.
 *
 *     {"running":{"signedIn":{"user":{…},"ride":{"requesting":{…}},…}}}
 *
 * An enum's case is an object with the case's name as its one member.
 *
 * @typedef {import("/client/statecast.js").Action} Action
 * @typedef {{ latitude: number, longitude: number }} Coordinate
 * @typedef {Coordinate & { id: string, name: string, address: string }} Place
 * @typedef {{ id: string, name: string, note: string, seats: number, priceCents: number,
 *   currency: string, pictures: { x1: string, x2: string, x3: string } }} Option
 * @typedef {{ fullName: string, nickname: string, email: string, mobileNumber: string }} User
 * @typedef {{ id: string, title: string, message: string, acknowledge: Action, label: string,
 *   retry: Action | null }} Fault
 * @typedef {"launching" | "welcome" | "signIn" | "signUp" | "locating" | "whereTo" | "dropoff" |
 *   "option" | "sending" | "final" | "waiting"} Name
 *
 * @typedef {object} Screen What is shown; what a screen does not have is null or empty.
 * @property {Name} name
 * @property {Fault[]} faults To be acknowledged, in order.
 * @property {{ isEnabled: boolean, isBusy: boolean } | null} form
 * @property {User | null} user
 * @property {boolean} isProfileOpen
 * @property {Coordinate | null} pickup
 * @property {Coordinate | null} dropoff
 * @property {Place | null} destination
 * @property {string} query
 * @property {Place[]} results
 * @property {boolean} isSearching
 * @property {Option[]} options
 * @property {boolean} isLoadingOptions
 * @property {string | null} selected
 * @property {boolean} isConfirming
 * @property {Option | null} option
 */

/** @type {Screen} */
const nothing = {
  name: "launching",
  faults: [],
  form: null,
  user: null,
  isProfileOpen: false,
  pickup: null,
  dropoff: null,
  destination: null,
  query: "",
  results: [],
  isSearching: false,
  options: [],
  isLoadingOptions: false,
  selected: null,
  isConfirming: false,
  option: null,
};

/**
 * The name of the case and what it holds.
 * @param {any} wire
 * @returns {[string, any]}
 */
const caseOf = (wire) => Object.entries(wire)[0];

/**
 * @param {any} state
 * @returns {Screen}
 */
export function screenOf(state) {
  const [phase, value] = caseOf(state);
  if (phase === "launching") {
    const shown = faults(value.errors, "launch", "launch/retried", "Go on without");
    return { ...nothing, faults: shown };
  }
  const [who, inner] = caseOf(value);
  return who === "signedIn" ? signedIn(inner) : onboarding(inner);
}

/**
 * @param {any} wire
 * @returns {Screen}
 */
function onboarding(wire) {
  const [step, form] = caseOf(wire);
  if (step === "welcoming") {
    return { ...nothing, name: "welcome", faults: faults(form.errors, "welcome") };
  }
  const name = step === "signingIn" ? "signIn" : "signUp";
  return {
    ...nothing,
    name,
    form: { isEnabled: form.inputsEnabled, isBusy: form.busy },
    faults: faults(form.errors, name),
  };
}

/**
 * @param {any} wire
 * @returns {Screen}
 */
function signedIn(wire) {
  const ride = rideOf(wire.ride);
  return {
    ...ride,
    user: wire.user,
    isProfileOpen: wire.viewingProfile,
    faults: [...faults(wire.profileErrors, "profile"), ...ride.faults],
  };
}

/**
 * @param {any} wire
 * @returns {Screen}
 */
function rideOf(wire) {
  const [phase, value] = caseOf(wire);
  if (phase === "waitingForPickup") return { ...nothing, name: "waiting" };
  if (phase === "locating") {
    const shown = faults(value.errors, "ride", null, "Try again");
    return { ...nothing, name: "locating", faults: shown };
  }
  const [progress, decided] = caseOf(value.progress);
  const waypoints = decided.waypoints ?? (decided.dropoff ? decided : null);
  return {
    ...nothing,
    ...stepOf(value.step, progress),
    pickup: value.map.pickup,
    dropoff: value.map.dropoff ?? null,
    destination: waypoints?.dropoff ?? null,
    option: decided.option ?? null,
    faults: [...faults(value.errors, "ride"), ...stepOf(value.step, progress).faults],
  };
}

/**
 * @param {any} wire
 * @param {string} progress
 * @returns {Screen}
 */
function stepOf(wire, progress) {
  const [step, picker] = caseOf(wire);
  switch (step) {
    case "choosingDropoff":
      return {
        ...nothing,
        name: "dropoff",
        query: picker.query,
        results: picker.results,
        isSearching: (picker.latestSearch ?? null) !== null,
        faults: faults(picker.errors, "dropoff", "dropoff/retried"),
      };
    case "choosingOption":
      return {
        ...nothing,
        name: progress === "sending" ? "sending" : "option",
        options: picker.options,
        isLoadingOptions: (picker.loading ?? null) !== null,
        selected: picker.selected ?? null,
        isConfirming: picker.confirming,
        faults: faults(picker.errors, "option", "option/retried"),
      };
    case "final":
      return { ...nothing, name: "final" };
    default:
      return { ...nothing, name: "whereTo" };
  }
}

/**
 * @param {{ id: string, title: string, message: string }[]} errors
 * @param {string} group The first part of the acknowledgement's type.
 * @param {string | null} [retry] The type of the action that tries again.
 * @param {string} [label] What the acknowledgement says.
 * @returns {Fault[]}
 */
function faults(errors, group, retry = null, label = "OK") {
  return errors.map((error) => ({
    ...error,
    label,
    acknowledge: { type: `${group}/errorAcknowledged`, payload: { id: error.id } },
    retry: retry ? { type: retry } : null,
  }));
}

/** What the page sends; the forms go to routes first, which give the browser a cookie. */
export const actions = {
  signInChosen: () => ({ type: "welcome/signInChosen" }),
  signUpChosen: () => ({ type: "welcome/signUpChosen" }),
  /** @param {"signIn" | "signUp"} form @param {object} payload */
  submitted: (form, payload) => ({ type: `${form}/submitted`, payload }),
  wentBack: () => ({ type: "onboarding/wentBack" }),
  profileOpened: () => ({ type: "profile/opened" }),
  profileClosed: () => ({ type: "profile/closed" }),
  signedOut: () => ({ type: "signedOut" }),
  destinationTapped: () => ({ type: "ride/destinationTapped" }),
  destinationCancelled: () => ({ type: "ride/destinationCancelled" }),
  /** @param {string} text */
  queryEdited: (text) => ({ type: "dropoff/queryEdited", payload: { text } }),
  /** @param {string} placeID */
  dropoffChosen: (placeID) => ({ type: "dropoff/chosen", payload: { placeID } }),
  /** @param {string} optionID */
  optionChosen: (optionID) => ({ type: "option/chosen", payload: { optionID } }),
  optionsRetried: () => ({ type: "option/retried" }),
  confirmed: () => ({ type: "ride/confirmed" }),
  finished: () => ({ type: "ride/finished" }),
  startedAgain: () => ({ type: "ride/startedAgain" }),
};
