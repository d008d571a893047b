/**
 * How the Episodes application looks on the wire, and nowhere else in the page.
 *
 *     {"screens":[{"home":{…}},{"episode":{…}}]}
 *
 * An enum's case is an object with the case's name as its one member. A thing that is fetched has a
 * status, with its value or its problem: `{"status":"failed","problem":{"code":…,"message":"…"}}`.
 *
 * @typedef {{ isLoading: boolean, failure: string | null }} Loading
 * @typedef {{ id: string, show: string, title: string, season: number, number: number,
 *   releaseDate: Date, picture: string }} Summary
 * @typedef {Summary & { summary: string, runtimeMinutes: number }} Details
 * @typedef {{ id: string, name: string, about: string, picture: string }} User
 * @typedef {{ id: string, episodeID: string, episodeTitle: string, author: User, text: string,
 *   postedAt: Date }} Comment
 * @typedef {{ kind: "splash" }} Splash
 * @typedef {{ kind: "home", episodes: Summary[], loading: Loading, searchText: string,
 *   presented: string | null }} Home
 * @typedef {{ kind: "episode", id: string, details: Details | null, loading: Loading,
 *   comments: Comment[], commentsLoading: Loading, draft: string, posting: Loading }} Episode
 * @typedef {{ kind: "profile", userID: string, commentID: string | null, user: User | null,
 *   comments: Comment[], loading: Loading }} Profile
 * @typedef {Splash | Home | Episode | Profile} Screen
 */

/**
 * The stack of screens, the last one in front.
 * @param {any} state
 * @returns {Screen[]}
 */
export function screensOf(state) {
  return state.screens.map(readScreen);
}

/**
 * @param {any} wire
 * @returns {Screen}
 */
function readScreen(wire) {
  const [kind, value] = Object.entries(wire)[0];
  switch (kind) {
    case "home":
      return {
        kind,
        episodes: value.episodes.map(dated),
        loading: readLoading(value.loading),
        searchText: value.searchText,
        presented: value.presentedEpisode ?? null,
      };
    case "episode":
      return {
        kind,
        id: value.id,
        details: value.details.value ? dated(value.details.value) : null,
        loading: readLoading(value.details),
        comments: value.comments.items.map(readComment),
        commentsLoading: readLoading(value.comments.loading),
        draft: value.comments.draft,
        posting: readLoading(value.comments.posting),
      };
    case "profile":
      return {
        kind,
        userID: value.userID,
        commentID: value.commentID ?? null,
        user: value.person.value?.user ?? null,
        comments: (value.person.value?.comments ?? []).map(readComment),
        loading: readLoading(value.person),
      };
    default:
      return { kind: "splash" };
  }
}

/**
 * @param {any} wire
 * @returns {Loading}
 */
const readLoading = (wire) => ({
  isLoading: wire.status === "loading",
  failure: wire.problem?.message ?? null,
});
/** @param {any} wire */
const dated = (wire) => ({ ...wire, releaseDate: new Date(wire.releaseDate) });
/**
 * @param {any} wire
 * @returns {Comment}
 */
const readComment = (wire) => ({ ...wire, postedAt: new Date(wire.postedAt) });

/**
 * What an action does before the server has answered: a comment is on its way. Its id, its author and
 * its time are the server's to say.
 * @param {any} state
 * @param {import("/client/statecast.js").Action} action
 */
export function predict(state, { type, payload }) {
  const { id, text } = /** @type {any} */ (payload ?? {});
  if (type !== "episode/commentPosted" || !text.trim()) return state;
  const screens = state.screens.map((/** @type {any} */ screen) => {
    if (screen.episode?.id !== id) return screen;
    const { episode } = screen;
    const comments = { ...episode.comments, draft: text, posting: { status: "loading" } };
    return { episode: { ...episode, comments } };
  });
  return { ...state, screens };
}

/** Which screen, as actions name it. */
export const screenID = {
  home: { home: {} },
  /** @param {string} id */
  episode: (id) => ({ episode: id }),
  /**
   * @param {string} userID
   * @param {string | null} commentID
   */
  profile: (userID, commentID) => ({ profile: { userID, ...(commentID ? { commentID } : {}) } }),
};

/** What the page sends. */
export const actions = {
  /** @param {object} id */
  shown: (id) => ({ type: "screens/shown", payload: id }),
  /** @param {object} id */
  dismissed: (id) => ({ type: "screens/dismissed", payload: id }),
  refreshed: () => ({ type: "home/refreshed" }),
  homeRetried: () => ({ type: "home/retried" }),
  /** @param {string} text */
  searchEdited: (text) => ({ type: "home/searchEdited", payload: { text } }),
  /**
   * @param {string} id
   * @param {string} text
   */
  draftEdited: (id, text) => ({ type: "episode/draftEdited", payload: { id, text } }),
  /**
   * @param {string} id
   * @param {string} text
   */
  commentPosted: (id, text) => ({ type: "episode/commentPosted", payload: { id, text } }),
  /** @param {string} id */
  episodeRetried: (id) => ({ type: "episode/retried", payload: { id } }),
  /** @param {string} id */
  commentsRetried: (id) => ({ type: "comments/retried", payload: { id } }),
  /** @param {string} userID */
  profileRetried: (userID) => ({ type: "profile/retried", payload: { userID } }),
};
