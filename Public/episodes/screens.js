/**
 * The screens as pure functions of what the server says.
 *
 * For tests, `data-testid`: `splash`; `home`, `search`, `refresh`, `episode-row` (with `data-id`),
 * `no-episodes`; `episode` (with `data-id`), `episode-title`, `countdown`, `back`, `alone` (a link to it
 * alone), `closed` in its place, `comment` (with `data-id`), `pending-comment`, `no-comments`, `draft`, `post`, `author`; `profile`, `profile-name`,
 * `profile-comment`, `close-profile`; `failure` with a button `retry` wherever something failed,
 * `posting-failure`.
 */
import { h } from "/client/ui/dom.js";
import { ago, countdown, countdownParts, dateAndTime, numbering } from "./time.js";
import { actions, screenID } from "./wire.js";

/**
 * @typedef {object} Surroundings
 * @property {(action: import("/client/statecast.js").Action) => void} send
 * @property {number} now
 * @property {import("/client/statecast.js").TextField} search
 * @property {(id: string) => import("/client/statecast.js").TextField} draft
 * @property {((name: string) => string) | null} addressOf The address of a screen alone; null where one is.
 */

/**
 * In the place of a screen that was followed alone, and is not open any more.
 * @param {string} address Of all screens.
 */
export const closed = (address) =>
  h("section", { class: "card absent", "data-testid": "closed", role: "status", key: "closed" },
    h("h1", { tabindex: "-1" }, "This screen is closed"),
    h("p", { class: "soft" }, "It appears here again when somebody opens it."),
    h("a", { class: "button", href: address }, "To all screens"));

/** The start, which ends by itself. */
export function splash() {
  return h(
    "section",
    { class: "splash", "data-testid": "splash", key: "splash" },
    h("img", { src: "/client/style/mark.svg", alt: "", width: 88, height: 88 }),
    h("h1", { tabindex: "-1" }, "Episodes"),
    h("p", { class: "soft", role: "status" }, "Looking up what is on next…"),
  );
}

/**
 * @param {import("./wire.js").Home} screen
 * @param {Surroundings} around
 */
export function home(screen, { send, search, now }) {
  const { episodes, loading } = screen;
  return h(
    "section",
    { class: "home", "data-testid": "home", key: "home", "aria-busy": String(loading.isLoading) },
    h(
      "div",
      { class: "home-head" },
      h("h1", { tabindex: "-1" }, "Upcoming episodes"),
      h(
        "div",
        { class: "search", role: "search" },
        h("input", {
          class: "input",
          type: "search",
          "data-testid": "search",
          "aria-label": "Search by show",
          placeholder: "Search by show",
          autocomplete: "off",
          maxlength: 256,
          ref: search.ref,
        }),
        h("button", {
          class: "button",
          type: "button",
          "data-testid": "refresh",
          disabled: loading.isLoading,
          onclick: () => send(actions.refreshed()),
        }, loading.isLoading ? spinner() : null, loading.isLoading ? "Loading" : "Refresh"),
      ),
    ),
    h("p", { class: "unseen", role: "status", key: "found" },
      loading.isLoading
        ? ""
        : `${episodes.length} ${episodes.length === 1 ? "episode" : "episodes"}`),
    failure(loading, () => send(actions.homeRetried())),
    episodes.length === 0 && loading.isLoading ? rowSkeletons() : null,
    episodes.length === 0 && !loading.isLoading && !loading.failure
      ? h("p", { class: "empty", "data-testid": "no-episodes" }, "No show has that in its name.")
      : null,
    h("ul", { class: "episodes" }, episodes.map((episode) => row(episode, send, now))),
  );
}

/**
 * @param {import("./wire.js").Summary} episode
 * @param {(action: any) => void} send
 * @param {number} now
 */
function row(episode, send, now) {
  return h(
    "li",
    { key: episode.id },
    h(
      "button",
      {
        class: "card row",
        type: "button",
        "data-testid": "episode-row",
        "data-id": episode.id,
        onclick: () => send(actions.shown(screenID.episode(episode.id))),
      },
      h("img", { src: episode.picture, alt: "", loading: "lazy" }),
      h(
        "span",
        { class: "row-text" },
        h("span", { class: "soft small-text" }, `${episode.show} · ${numbering(episode)}`),
        h("b", null, episode.title),
        h("span", { class: "due" }, countdown(episode.releaseDate, now)),
      ),
    ),
  );
}

/**
 * @param {import("./wire.js").Episode} screen
 * @param {Surroundings} around
 */
export function episode(screen, around) {
  const { send, addressOf } = around;
  const { details, loading } = screen;
  return h(
    "article",
    { class: "episode", "data-testid": "episode", "data-id": screen.id, key: screen.id },
    h("div", { class: "ways" },
      h("button", {
        class: "button plain back",
        type: "button",
        "data-testid": "back",
        onclick: () => send(actions.dismissed(screenID.episode(screen.id))),
      }, addressOf ? "← All episodes" : "Close"),
      addressOf
        ? h("a", {
          class: "button plain",
          target: "_blank",
          "data-testid": "alone",
          href: addressOf(`episode:${screen.id}`),
        }, "In a window of its own")
        : null),
    failure(loading, () => send(actions.episodeRetried(screen.id))),
    details ? facts(details, around) : loading.isLoading ? factsSkeleton() : null,
    comments(screen, around),
  );
}

/**
 * @param {import("./wire.js").Details} details
 * @param {Surroundings} around
 */
function facts(details, { now }) {
  const isOut = details.releaseDate.getTime() <= now;
  return h(
    "div",
    { class: "facts", key: "facts" },
    h("img", { class: "poster", src: details.picture, alt: "" }),
    h(
      "div",
      { class: "facts-text" },
      h(
        "p",
        { class: "soft" },
        `${details.show} · ${numbering(details)} · ${details.runtimeMinutes} min`,
      ),
      h("h1", { tabindex: "-1", "data-testid": "episode-title" }, details.title),
      h("p", null, details.summary),
      h("p", { class: "soft small-text" }, dateAndTime(details.releaseDate)),
      h(
        "div",
        { class: "countdown", role: "timer", "data-testid": "countdown" },
        isOut
          ? h("b", null, "Out now")
          : countdownParts(details.releaseDate, now).map(({ unit, value }) =>
            h("span", { key: unit }, h("b", null, value), h("small", null, unit))
          ),
      ),
    ),
  );
}

/**
 * @param {import("./wire.js").Episode} screen
 * @param {Surroundings} around
 */
function comments(screen, { send, draft, now }) {
  const { comments, commentsLoading, posting, id } = screen;
  const field = draft(id);
  const isEmpty = comments.length === 0 && !commentsLoading.isLoading &&
    !commentsLoading.failure && !posting.isLoading;
  /** @param {Event} event */
  const post = (event) => {
    event.preventDefault();
    field.discard();
    send(actions.commentPosted(id, field.text));
  };
  return h(
    "section",
    { class: "comments", key: "comments", "aria-labelledby": "comments" },
    h("h2", { id: "comments" }, "Comments"),
    h(
      "form",
      { class: "card compose", onsubmit: post },
      h("textarea", {
        class: "input",
        rows: 2,
        "data-testid": "draft",
        "aria-label": "Your comment",
        placeholder: "Say something about it",
        maxlength: 2000,
        disabled: posting.isLoading,
        ref: field.ref,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) post(event);
        },
      }),
      h(
        "div",
        { class: "compose-foot" },
        posting.failure
          ? h(
            "p",
            { class: "failure-text", role: "alert", "data-testid": "posting-failure" },
            posting.failure,
          )
          : h(
            "p",
            { class: "soft small-text" },
            "The draft is shared, too: look at it in another window.",
          ),
        h("button", {
          class: "button primary",
          type: "submit",
          "data-testid": "post",
          disabled: posting.isLoading,
        }, posting.isLoading ? spinner() : null, posting.isLoading ? "Posting" : "Post"),
      ),
    ),
    failure(commentsLoading, () => send(actions.commentsRetried(id))),
    commentsLoading.isLoading && comments.length === 0
      ? h("div", { class: "skeleton comment-skeleton", key: "loading" })
      : null,
    isEmpty ? h("p", { class: "empty", "data-testid": "no-comments" }, "No comments yet.") : null,
    h("ul", { class: "comment-list" },
      posting.isLoading ? onItsWay(screen.draft) : null,
      comments.map((comment) => remark(comment, send, now))),
  );
}

/**
 * A comment that the server has not answered yet.
 * @param {string} text
 */
const onItsWay = (text) =>
  h(
    "li",
    { class: "comment pending", key: "pending", "data-testid": "pending-comment" },
    h("span", { class: "skeleton author-skeleton", "aria-hidden": "true" }),
    h("div", null, h("p", { class: "small-text soft", role: "status" }, "Posting…"),
      h("p", { class: "comment-text" }, text)),
  );

/**
 * @param {import("./wire.js").Comment} comment
 * @param {(action: any) => void} send
 * @param {number} now
 */
function remark(comment, send, now) {
  const { author } = comment;
  return h(
    "li",
    { class: "comment", key: comment.id, "data-testid": "comment", "data-id": comment.id },
    h(
      "button",
      {
        class: "author",
        type: "button",
        "data-testid": "author",
        "aria-label": `Profile of ${author.name}`,
        onclick: () => send(actions.shown(screenID.profile(author.id, comment.id))),
      },
      h("img", { src: author.picture, alt: "", width: 40, height: 40 }),
    ),
    h(
      "div",
      null,
      h(
        "p",
        { class: "small-text" },
        h("b", null, author.name),
        h("span", { class: "soft" }, ` · ${ago(comment.postedAt, now)}`),
      ),
      h("p", { class: "comment-text" }, comment.text),
    ),
  );
}

/**
 * @param {import("./wire.js").Profile} screen
 * @param {Surroundings} around
 */
export function profile(screen, { send, now }) {
  const { user, loading, comments, userID } = screen;
  return [
    h("button", {
      class: "button small sheet-close",
      type: "button",
      "data-testid": "close-profile",
      onclick: () => send(actions.dismissed(screenID.profile(userID, screen.commentID))),
    }, "Close"),
    failure(loading, () => send(actions.profileRetried(userID))),
    user
      ? h(
        "div",
        { class: "person", key: "person" },
        h("img", { src: user.picture, alt: "", width: 84, height: 84 }),
        h("h2", { "data-testid": "profile-name", tabindex: "-1" }, user.name),
        h("p", { class: "soft" }, user.about),
      )
      : loading.isLoading
      ? h("div", { class: "skeleton person-skeleton", key: "loading" })
      : null,
    h(
      "ul",
      { class: "comment-list" },
      comments.map((comment) =>
        h(
          "li",
          { key: comment.id, class: "said", "data-testid": "profile-comment" },
          h(
            "p",
            { class: "soft small-text" },
            `${comment.episodeTitle} · ${ago(comment.postedAt, now)}`,
          ),
          h("p", { class: "comment-text" }, comment.text),
        )
      ),
    ),
  ];
}

/**
 * @param {import("./wire.js").Loading} loading
 * @param {() => void} retry
 */
function failure(loading, retry) {
  if (!loading.failure) return null;
  return h(
    "div",
    { class: "fault", role: "alert", "data-testid": "failure", key: "failure" },
    h("p", null, loading.failure),
    h("button", {
      class: "button small",
      type: "button",
      "data-testid": "retry",
      onclick: retry,
    }, "Try again"),
  );
}

const spinner = () => h("span", { class: "spinner", "aria-hidden": "true" });

const rowSkeletons = () =>
  h(
    "div",
    { class: "episodes", key: "skeletons", "aria-hidden": "true" },
    [1, 2, 3, 4, 5, 6].map((key) => h("div", { class: "skeleton row-skeleton", key: String(key) })),
  );

const factsSkeleton = () =>
  h(
    "div",
    { class: "facts", key: "facts-skeleton", "aria-hidden": "true" },
    h("div", { class: "skeleton poster" }),
    h("div", { class: "skeleton text-skeleton" }),
  );
