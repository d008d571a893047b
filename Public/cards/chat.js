/**
 * What is said at a table.
 *
 * For tests, `data-testid`: `chat`, `line` (with `data-id`), `chat-text`, `say`, `fault-say`.
 */
import { h } from "/client/ui/dom.js";

/**
 * @param {import("./wire.js").Table} table
 * @param {import("./cards.js").Surroundings} around
 */
export function chat(table, around) {
  return h(
    "section",
    { class: "card chat", "aria-labelledby": "chat-title", "data-testid": "chat" },
    h("h2", { id: "chat-title" }, "Chat"),
    h(
      "div",
      { class: "lines", role: "log", "aria-labelledby": "chat-title", tabindex: "0" },
      table.chat.length === 0
        ? h("p", { class: "soft small-text" }, "Nothing has been said.")
        : null,
      h("ol", { class: "line-list" }, table.chat.map(line)),
    ),
    around.me
      ? form(around)
      : h("p", { class: "soft small-text" }, "Sign in to say something."),
  );
}

/** @param {import("./wire.js").Line} said */
const line = ({ id, from, text, at }) =>
  h(
    "li",
    { key: id, "data-testid": "line", "data-id": id },
    h("b", null, from),
    h("time", { class: "soft", datetime: new Date(at).toISOString() }, timeOf(at)),
    h("p", null, text),
  );

/** @param {number} at */
const timeOf = (at) =>
  new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });

/** @param {import("./cards.js").Surroundings} around */
function form({ notes, say, isSaying }) {
  return h(
    "form",
    {
      class: "say",
      novalidate: true,
      onsubmit: async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const { elements } = /** @type {HTMLFormElement} */ (event.currentTarget);
        const input = /** @type {HTMLInputElement} */ (elements.namedItem("text"));
        const text = input.value;
        if (await say(text.trim()) && input.value === text) input.value = "";
      },
    },
    h("input", {
      class: "input",
      name: "text",
      "data-testid": "chat-text",
      "aria-label": "Say something",
      placeholder: "Say something",
      autocomplete: "off",
      maxlength: 500,
      ...notes.fieldProps("say"),
    }),
    h("button", {
      class: "button",
      type: "submit",
      "data-testid": "say",
      "aria-disabled": isSaying ? "true" : null,
    }, "Say"),
    notes.show("say"),
  );
}

/** Where the last line was in sight it stays so: to be asked before and called after drawing. */
export function keepAtEnd() {
  const before = document.querySelector(".lines");
  const isAtEnd = !before || before.scrollHeight - before.scrollTop - before.clientHeight < 40;
  return () => {
    const lines = document.querySelector(".lines");
    if (lines && isAtEnd) lines.scrollTop = lines.scrollHeight;
  };
}
