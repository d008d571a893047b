/**
 * What is shown: what the server has confirmed, and on top of it what the actions on their way are
 * expected to do. A prediction goes when the state includes its action, or when it was refused: so a
 * refusal rolls back exactly.
 *
 * A state may come before the answer that tells whether it includes an action: it is not shown until
 * then, or the action would be seen twice for a moment.
 */
import { reconcile } from "./patch.js";

/** How long a state waits for an answer, in milliseconds: for one that was lost several times, too. */
const patience = 15_000;

export class Forecast {
  /**
   * As the server said it last; undefined before, and while it is out of scope.
   * @type {any}
   */
  confirmed = undefined;
  /** @type {any} */ shown = undefined;
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

  /** How many actions are on their way, or answered and not yet seen in the state. */
  get count() {
    return this.#pending.length;
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
   * @param {string | null} token Of the answer; null where the action was refused, or given up.
   * @param {(token: string) => boolean} includes
   */
  answered(prediction, token, includes) {
    prediction.isUnderWay = false;
    prediction.token = token;
    if (token === null) this.#pending = this.#pending.filter((other) => other !== prediction);
    this.show(includes);
  }

  /**
   * @param {any} state As the server says it now.
   * @param {(token: string) => boolean} includes
   * @returns {boolean} Whether it is shown, and does not wait.
   */
  confirm(state, includes) {
    this.confirmed = state;
    const waits = state !== undefined &&
      this.#pending.some(({ predict, isUnderWay }) => predict && isUnderWay);
    if (!waits) this.show(includes);
    else {
      this.#timer ??= setTimeout(() => {
        this.show(includes);
        this.onShown();
      }, patience);
    }
    return !waits;
  }

  /**
   * Shows the present state. What it leaves as it was predicted keeps its identity.
   * @param {(token: string) => boolean} includes
   */
  show(includes) {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#pending = this.#pending.filter(({ token }) => token === null || !includes(token));
    let shown = this.confirmed;
    if (shown !== undefined) for (const { predict } of this.#pending) shown = tried(predict, shown);
    this.shown = reconcile(this.shown, shown);
    if (this.#pending.length === 0) this.confirmed = this.shown;
  }
}

class Prediction {
  /** Sent and not answered: a state may include its action or not. */
  isUnderWay = false;
  /**
   * Of the answer, once there is one.
   * @type {string | null}
   */
  token = null;

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
