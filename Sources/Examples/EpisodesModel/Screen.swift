package import Redux

/// One screen of the stack, with all that it shows: `{"splash":{}}`, `{"home":{…}}`, ….
package enum Screen: StateValue {
    case splash
    case home(Home)
    case episode(EpisodeDetails)
    case profile(Profile)

    /// The identity of the screen, without its content.
    package var id: ScreenID {
        switch self {
        case .splash: .splash
        case .home: .home
        case .episode(let details): .episode(details.id)
        case .profile(let profile): .profile(userID: profile.userID, commentID: profile.commentID)
        }
    }
}

/// The identity of a screen: `{"home":{}}`, `{"episode":"e7"}`, `{"profile":{"userID":"u2","commentID":"c14"}}`.
package enum ScreenID: StateValue, Hashable {
    case splash
    case home
    case episode(String)
    /// A person's profile, reached from the comment that named it.
    case profile(userID: String, commentID: String?)
}

/// The list of episodes.
package struct Home: StateValue {
    /// The list shows all upcoming episodes, or those that the search found.
    package var episodes: [EpisodeSummary] = []
    /// All upcoming episodes, shown again when the search text is cleared.
    package var upcoming: [EpisodeSummary] = []
    /// The fetch of the list.
    package var loading = Loadable<Done>.idle
    package var searchText = ""
    /// The fetch is of a search that was typed: it begins once typing has paused.
    package var isTyping = false
    /// The episode that was opened from here and is still open.
    package var presentedEpisode: String?

    /// The text that the outside API is asked for; empty for all upcoming episodes.
    package var query: String { searchText.isBlank ? "" : searchText }

    /// Begins to fetch the list: of a text that was typed, once typing has paused.
    mutating func load(isTyping: Bool = false) {
        loading.load()
        self.isTyping = isTyping
    }

    /// Changes the search; the whole list is kept beside it, once it has come.
    mutating func edit(_ text: String) {
        searchText = text
        load(isTyping: true)
        guard text.isBlank else { return }
        episodes = upcoming
        if !upcoming.isEmpty { (loading, isTyping) = (.idle, false) }
    }

    /// Ends fetching the list.
    mutating func finish(_ answer: Answer<[EpisodeSummary]>) {
        loading.end(answer)
        isTyping = false
        guard let found = answer.value else { return }
        episodes = found
        if searchText.isBlank { upcoming = found }
    }
}

/// One episode and what people say of it.
package struct EpisodeDetails: StateValue, Identifiable {
    package let id: String
    package var details = Loadable<Episode>.idle
    package var comments = Comments()

    /// Begins to fetch those of the details and comments that are neither there nor on their way.
    mutating func loadMissing() {
        if details.value == nil { details.load() }
        if comments.loading == .idle, comments.items.isEmpty { comments.loading.load() }
    }
}

/// The comments of one episode, newest first.
package struct Comments: StateValue {
    /// Newest first; empty is "no comments yet", not an error.
    package var items: [Comment] = []
    /// The fetch of the comments.
    package var loading = Loadable<Done>.idle
    /// The comment that is being written.
    package var draft = ""
    /// The posting of the draft.
    package var posting = Loadable<Done>.idle
    /// The comment from which a profile was opened.
    package var selected: String?
    /// The person whose profile is open over this episode.
    package var presentedProfile: String?

    /// Ends fetching the comments.
    mutating func finish(_ answer: Answer<[Comment]>) {
        loading.end(answer)
        if let comments = answer.value { items = comments }
    }

    /// Ends posting the draft, which stays where it was not accepted.
    mutating func finishPosting(_ answer: Answer<Comment>) {
        posting.end(answer)
        guard let comment = answer.value else { return }
        draft = ""
        items.removeAll { $0.id == comment.id }
        items.insert(comment, at: 0)
        if items.count > EpisodesState.commentLimit { items.removeLast() }
    }
}

/// A person's profile.
package struct Profile: StateValue {
    package let userID: String
    /// The comment from which it was opened.
    package let commentID: String?
    package var person = Loadable<Person>.idle
}
