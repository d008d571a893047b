/** A session that is followed and acted on: the lobby or a table. */
import { Mirror } from "/client/statecast.js";
import { modeInAddress, showBar } from "/client/ui/session-page.js";

export class Visit {
  /** What is on its way, or is not shown yet: the token of the answer, once there is one. */
  #acts = new Map();

  /**
   * @param {string} mount
   * @param {string} id
   * @param {object} options
   * @param {string} [options.identity] The id of the one who is signed in.
   * @param {import("./notes.js").Notes} options.notes
   * @param {() => void} options.onChange
   */
  constructor(mount, id, { identity, notes, onChange }) {
    this.id = id;
    this.notes = notes;
    this.onChange = onChange;
    this.mirror = new Mirror(mount, id, { mode: modeInAddress(), identity });
    showBar(this.mirror, false);
    this.mirror.onState(() => this.onChange());
    this.mirror.onStatus(() => this.onChange());
  }

  /** The state as the server said it last; undefined before. */
  get state() {
    return this.mirror.state;
  }

  get phase() {
    return this.mirror.status.phase;
  }

  /**
   * Whether something was done there that the state does not show yet.
   * @param {import("./notes.js").Place} place
   */
  isBusy(place) {
    const token = this.#acts.get(place);
    return token !== undefined && (token === "" || !this.mirror.includes(token));
  }

  /**
   * Sends an action, and puts the server's reason for a "no" beside what was done.
   * @param {import("./notes.js").Place} place
   * @param {import("/client/statecast.js").Action} action
   * @returns {Promise<boolean>} Whether it was accepted.
   */
  async act(place, action) {
    if (this.isBusy(place)) return false;
    this.notes.clear(place);
    this.#acts.set(place, "");
    this.onChange();
    try {
      const { token } = await this.mirror.dispatch(action);
      this.#acts.set(place, token);
      return true;
    } catch (error) {
      this.#acts.delete(place);
      this.notes.put(place, error);
      return false;
    } finally {
      this.onChange();
    }
  }

  close() {
    this.onChange = () => {};
    this.mirror.close();
  }
}
