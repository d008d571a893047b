public import Redux

/// One screen of the stack, with all that it shows: `{"splash":{}}`, `{"home":{…}}`, ….
public enum Screen: StateValue {
    case splash
    case home(Home)
    case episode(EpisodeDetails)
    case profile(Profile)

    /// The identity of the screen, without its content.
    public var id: ScreenID {
        switch self {
        case .splash: .splash
        case .home: .home
        case .episode(let details): .episode(details.id)
        case .profile(let profile): .profile(userID: profile.userID, commentID: profile.commentID)
        }
    }
}

/// The identity of a screen: `{"home":{}}`, `{"episode":"e7"}`, `{"profile":{"userID":"u2","commentID":"c14"}}`.
public enum ScreenID: StateValue, Hashable {
    case splash
    case home
    case episode(String)
    /// A person's profile, reached from the comment that named it.
    case profile(userID: String, commentID: String?)

    /// The name in `?view=screen&id=…`: `home`, `episode:e7`, `profile:u2`, `profile:u2:c14`; in a person's
    /// id `~1` stands for a colon and `~0` for `~`, so that no two screens have one name.
    public var name: String {
        switch self {
        case .splash: "splash"
        case .home: "home"
        case .episode(let id): "episode:\(id)"
        case .profile(let userID, let commentID):
            "profile:" + userID.replacing("~", with: "~0").replacing(":", with: "~1")
                + (commentID.map { ":" + $0 } ?? "")
        }
    }
}

/// The list of episodes.
public struct Home: StateValue {
    /// The list shows all upcoming episodes, or those that the search found.
    public var episodes: [EpisodeSummary] = []
    /// All upcoming episodes, shown again when the search text is cleared.
    public var upcoming: [EpisodeSummary] = []
    /// The fetch of the list.
    public var loading = Loadable<Done>.idle
    public var searchText = ""
    /// The fetch is of a search that was typed: it begins once typing has paused.
    public var isTyping = false
    /// The episode that was opened from here and is still open.
    public var presentedEpisode: String?

    /// The text that the outside API is asked for; empty for all upcoming episodes.
    public var query: String { searchText.isBlank ? "" : searchText }

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
public struct EpisodeDetails: StateValue, Identifiable {
    public let id: String
    public var details = Loadable<Episode>.idle
    public var comments = Comments()

    /// Begins to fetch those of the details and comments that are neither there nor on their way.
    mutating func loadMissing() {
        if details.value == nil { details.load() }
        if comments.loading == .idle, comments.items.isEmpty { comments.loading.load() }
    }
}

/// The comments of one episode, newest first.
public struct Comments: StateValue {
    /// Newest first; empty is "no comments yet", not an error.
    public var items: [Comment] = []
    /// The fetch of the comments.
    public var loading = Loadable<Done>.idle
    /// The comment that is being written.
    public var draft = ""
    /// The posting of the draft.
    public var posting = Loadable<Done>.idle
    /// The comment from which a profile was opened.
    public var selected: String?
    /// The person whose profile is open over this episode.
    public var presentedProfile: String?

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
public struct Profile: StateValue {
    public let userID: String
    /// The comment from which it was opened.
    public let commentID: String?
    public var person = Loadable<Person>.idle
}
