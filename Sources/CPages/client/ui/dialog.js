/**
 * A dialog that only the state opens and closes: Escape asks, and where a browser closes it of
 * itself while the state still shows it, it is opened again.
 */
import { render } from "./dom.js";

export class StateDialog {
  /** @type {HTMLDialogElement} */ element;
  /** The content; messages of the page may stand beside it. */
  #content = document.createElement("div");
  #isWanted = false;

  /**
   * @param {object} options
   * @param {string} options.name Its class.
   * @param {string} options.id What tests find it by.
   * @param {string} [options.label] What it is read out as; or:
   * @param {string} [options.labelledBy] The id of the element in it that names it.
   * @param {boolean} [options.isAlert] Whether it interrupts.
   * @param {() => void} [options.onEscape]
   */
  constructor({ name, id, label, labelledBy, isAlert = false, onEscape = () => {} }) {
    const element = document.createElement("dialog");
    this.element = element;
    element.className = name;
    element.dataset.testid = id;
    if (label) element.setAttribute("aria-label", label);
    if (labelledBy) element.setAttribute("aria-labelledby", labelledBy);
    if (isAlert) element.setAttribute("role", "alertdialog");
    element.addEventListener("cancel", (event) => {
      event.preventDefault();
      onEscape();
    });
    element.addEventListener("close", () => {
      if (this.#isWanted && !element.open) element.showModal();
    });
    element.append(this.#content);
    document.body.append(element);
  }

  get isOpen() {
    return this.#isWanted;
  }

  /**
   * Shows content, or nothing: then the dialog is closed and emptied.
   * @param {import("./dom.js").Node | null} content
   */
  show(content) {
    const { element } = this;
    this.#isWanted = content !== null;
    if (content) {
      render(this.#content, content);
      if (!element.open) element.showModal();
    } else if (element.open) {
      element.close();
      render(this.#content);
    }
  }
}
