import Statecast

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
    package var loading = Loading.idle
    package var searchText = ""
    /// The episode that was opened from here and is still open.
    package var presentedEpisode: String?

    package init() {}
}

/// One episode and what people say of it.
package struct EpisodeDetails: StateValue, Identifiable {
    package let id: String
    /// Absent until it is fetched.
    package var details: Episode?
    /// The fetch of the details.
    package var loading = Loading.idle
    package var comments = Comments()

    package init(id: String) {
        self.id = id
    }
}

/// The comments of one episode, newest first.
package struct Comments: StateValue {
    /// Newest first; empty is "no comments yet", not an error.
    package var items: [Comment] = []
    /// The fetch of the comments.
    package var loading = Loading.idle
    /// The comment that is being written.
    package var draft = ""
    /// The posting of the draft.
    package var posting = Loading.idle
    /// The comment from which a profile was opened.
    package var selected: String?
    /// The person whose profile is open over this episode.
    package var presentedProfile: String?

    package init() {}
}

/// A person and their comments.
package struct Profile: StateValue {
    package let userID: String
    /// The comment from which it was opened.
    package let commentID: String?
    /// Absent until it is fetched.
    package var user: User?
    /// The person's comments, newest first.
    package var comments: [Comment] = []
    /// The fetch of both.
    package var loading = Loading.idle

    package init(userID: String, commentID: String? = nil) {
        self.userID = userID
        self.commentID = commentID
    }
}
