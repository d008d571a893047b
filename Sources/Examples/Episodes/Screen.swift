/// One screen of the stack, with all that it shows: `{"splash":{}}`, `{"home":{…}}`, ….
public enum Screen: Codable, Equatable, Sendable {
    case splash
    case home(Home)
    case episode(EpisodeDetails)
    case profile(Profile)

    /// Which screen this is, without what it shows.
    public var id: ScreenID {
        switch self {
        case .splash: .splash
        case .home: .home
        case .episode(let details): .episode(details.id)
        case .profile(let profile): .profile(userID: profile.userID, commentID: profile.commentID)
        }
    }

    /// True while the screen waits for the answer to this request.
    func waits(for request: Int) -> Bool {
        switch self {
        case .splash: false
        case .home(let home): home.loading.request == request
        case .episode(let details):
            details.loading.request == request || details.comments.loading.request == request
                || details.comments.posting.request == request
        case .profile(let profile): profile.loading.request == request
        }
    }
}

/// Which screen: `{"home":{}}`, `{"episode":"e7"}`, `{"profile":{"userID":"u2","commentID":"c14"}}`.
public enum ScreenID: Codable, Hashable, Sendable {
    case splash
    case home
    case episode(String)
    /// A person's profile, reached from the comment that named it.
    case profile(userID: String, commentID: String?)
}

/// The list of episodes.
public struct Home: Codable, Equatable, Sendable {
    /// What is listed: all upcoming episodes, or those that the search found.
    public var episodes: [EpisodeSummary] = []
    /// All upcoming episodes, shown again when the search text is cleared.
    public var upcoming: [EpisodeSummary] = []
    /// The fetch of the list.
    public var loading = Loading.idle
    /// The text as it was last typed.
    public var searchText = ""
    /// The episode that was opened from here and is still open.
    public var presentedEpisode: String?

    /// A list with nothing in it yet.
    public init() {}
}

/// One episode and what people say of it.
public struct EpisodeDetails: Codable, Equatable, Sendable, Identifiable {
    /// The episode's id.
    public let id: String
    /// Absent until it is fetched.
    public var details: Episode?
    /// The fetch of the details.
    public var loading = Loading.idle
    /// What people say.
    public var comments = Comments()

    /// An episode of which only the id is known.
    public init(id: String) {
        self.id = id
    }
}

/// The comments of one episode, newest first.
public struct Comments: Codable, Equatable, Sendable {
    /// Newest first; empty is "no comments yet", not an error.
    public var items: [Comment] = []
    /// The fetch of the comments.
    public var loading = Loading.idle
    /// The comment that is being written.
    public var draft = ""
    /// The posting of the draft.
    public var posting = Loading.idle
    /// The comment from which a profile was opened.
    public var selected: String?
    /// The person whose profile is open over this episode.
    public var presentedProfile: String?

    /// No comments yet.
    public init() {}
}

/// A person and their comments.
public struct Profile: Codable, Equatable, Sendable {
    /// Whose profile it is.
    public let userID: String
    /// The comment from which it was opened.
    public let commentID: String?
    /// Absent until it is fetched.
    public var user: User?
    /// The person's comments, newest first.
    public var comments: [Comment] = []
    /// The fetch of both.
    public var loading = Loading.idle

    /// A profile of which only the id is known.
    public init(userID: String, commentID: String? = nil) {
        self.userID = userID
        self.commentID = commentID
    }
}
