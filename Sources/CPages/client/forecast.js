/**
 * What is shown: what the server has confirmed, and on top of it what the actions on their way are
 * expected to do. A prediction goes when the state includes its action: so a refusal rolls back exactly.
 * Of an action that was refused, or has changed nothing, that is the state in which it was so: somebody
 * else may have done the same a moment before. The stream may say nothing of it, so it waits for a second.
 *
 * A state may come before the answer that tells whether it includes an action: it is not shown until
 * then, or the action would be seen twice for a moment. Where the answer does not come in time the
 * state is shown without the prediction, until there is an answer.
 */
import { reconcile } from "./patch.js";

/** How long a state waits for an answer, in milliseconds: longer than the first request may take. */
const patience = 15_000;
/** So many actions that are answered wait for a state that includes them; beyond, the oldest goes. */
const answeredLimit = 1_000;
/** How long a prediction waits for the state by which its action changed nothing, in milliseconds. */
const voidPatience = 1_000;

export class Forecast {
  /**
   * As the server said it last; undefined before, and while it is out of scope.
   * @type {any}
   */
  confirmed = undefined;
  /** @type {any} */ shown = undefined;
  /**
   * What `shown` stands on: what was confirmed before a state that waits.
   * @type {any}
   */
  #base = undefined;
  /**
   * Of `confirmed`.
   * @type {string | null}
   */
  #confirmedToken = null;
  /**
   * Of what `shown` stands on.
   * @type {string | null}
   */
  token = null;
  /**
   * In the order in which they were sent.
   * @type {Prediction[]}
   */
  #pending = [];
  /**
   * Runs while a state waits.
   * @type {any}
   */
  #timer = null;

  /** @param {() => void} onShown Called when a state has waited for long enough. */
  constructor(onShown) {
    this.onShown = onShown;
  }

  /** How many actions are on their way, or have changed the state and are not in it yet. */
  get count() {
    return this.#pending.filter(({ isVoid }) => !isVoid).length;
  }

  /**
   * Shows at once what an action is expected to do. Throws what the function throws.
   * @param {((state: any) => any) | undefined} predict
   */
  add(predict) {
    const prediction = new Prediction(predict);
    if (predict && this.shown !== undefined) {
      this.shown = reconcile(this.shown, predict(this.shown));
    }
    this.#pending.push(prediction);
    return prediction;
  }

  /**
   * @param {Prediction} prediction
   * @param {string | null} token Of the answer, also of a refusal; null where it has none.
   * @param {(token: string) => boolean} includes
   * @param {boolean} [isVoid] The action was refused, or has changed nothing.
   */
  answered(prediction, token, includes, isVoid = false) {
    const isShown = prediction.predict && !prediction.isLeftOut;
    Object.assign(prediction, { isUnderWay: false, token, isVoid });
    const answered = this.#pending.filter((each) => each.token !== null);
    if (token === null || (isVoid && !isShown)) this.#remove(prediction);
    else if (answered.length > answeredLimit) this.#remove(answered[0]);
    this.show(includes);
    if (!token || !isVoid || !this.#pending.includes(prediction)) return;
    setTimeout(() => {
      // One that a state includes goes with those for which that state waits.
      if (!includes(token)) this.#remove(prediction);
      this.show(includes);
      this.onShown();
    }, voidPatience);
  }

  /** @param {Prediction} gone */
  #remove(gone) {
    this.#pending = this.#pending.filter((each) => each !== gone);
  }

  /**
   * @param {any} state As the server says it now.
   * @param {(token: string) => boolean} includes
   * @param {string | null} [token] Of the state.
   * @returns {boolean} Whether it is shown, and does not wait.
   */
  confirm(state, includes, token = null) {
    this.confirmed = state;
    this.#confirmedToken = token;
    const { waits } = this;
    if (!waits) this.show(includes);
    else {
      this.#timer ??= setTimeout(() => {
        for (const each of this.#pending) each.isLeftOut = each.isUnderWay;
        this.show(includes);
        this.onShown();
      }, patience);
    }
    return !waits;
  }

  /**
   * Shows the present state, unless it waits. What it leaves as it was predicted keeps its identity.
   * @param {(token: string) => boolean} includes
   */
  show(includes) {
    if (!this.waits) this.#rest(includes);
    let shown = this.#base;
    for (const { predict, isLeftOut } of this.#pending) {
      if (shown !== undefined && !isLeftOut) shown = tried(predict, shown);
    }
    this.shown = reconcile(this.shown, shown);
    if (this.#pending.length === 0) this.#base = this.confirmed = this.shown;
  }

  /** Whether the present state has news, and nobody knows whether it includes an action. */
  get waits() {
    if (this.confirmed === undefined || this.confirmed === this.#base) return false;
    return this.#pending.some(({ predict, isUnderWay, isLeftOut }) =>
      predict && isUnderWay && !isLeftOut);
  }

  /** @param {(token: string) => boolean} includes */
  #rest(includes) {
    clearTimeout(this.#timer);
    this.#timer = null;
    const isNews = this.confirmed !== this.#base;
    this.#base = this.confirmed;
    this.token = this.#confirmedToken;
    this.#pending = this.#pending.filter(({ token }) => token === null || !includes(token));
    for (const each of this.#pending) each.isLeftOut = each.isUnderWay && (isNews || each.isLeftOut);
  }
}

class Prediction {
  /** Sent and not answered: a state may include its action or not. */
  isUnderWay = false;
  /** What is shown may include it, and shows it no second time. */
  isLeftOut = false;
  /**
   * Of the answer, once there is one.
   * @type {string | null}
   */
  token = null;
  /** Answered, and in no state to come. */
  isVoid = false;

  /** @param {((state: any) => any) | undefined} predict */
  constructor(predict) {
    this.predict = predict;
  }
}

/**
 * A prediction that does not fit what others have made of the state shows nothing.
 * @param {((state: any) => any) | undefined} predict
 * @param {any} state
 */
function tried(predict, state) {
  try {
    return predict ? predict(state) : state;
  } catch {
    return state;
  }
}
