import Redux

/// One line of the list of episodes.
public struct EpisodeSummary: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"e7"`.
    public var id: String
    public var show: String
    public var title: String
    /// Counted from 1.
    public var season: Int
    /// Counted from 1 within the season.
    public var number: Int
    /// ISO 8601: `2026-11-21T20:15:00.000Z`. The countdown to it runs in the browser.
    public var releaseDate: String
    /// The picture stands on the page's own host where its URL names none.
    public var picture: String
}

/// All that is told of one episode.
public struct Episode: StateValue, Identifiable {
    /// The id is stable over restarts.
    public var id: String
    public var show: String
    public var title: String
    /// Counted from 1.
    public var season: Int
    /// Counted from 1 within the season.
    public var number: Int
    /// One line on what happens.
    public var summary: String
    /// ISO 8601.
    public var releaseDate: String
    /// The picture stands on the page's own host where its URL names none.
    public var picture: String
    public var runtimeMinutes: Int
}

/// A person who writes comments.
public struct User: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"u2"`.
    public var id: String
    public var name: String
    /// One line about the person.
    public var about: String
    /// The picture stands on the page's own host where its URL names none.
    public var picture: String
}

/// A person and their comments.
public struct Person: StateValue {
    public var user: User
    /// Newest first.
    public var comments: [Comment]

    public init(user: User, comments: [Comment]) {
        self.user = user
        self.comments = comments
    }
}

/// A comment; author, id and time are the outside API's to give, never the client's.
public struct Comment: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"c14"`.
    public var id: String
    /// The episode that it speaks of.
    public var episodeID: String
    /// The episode's title, for lists of comments on several.
    public var episodeTitle: String
    public var author: User
    public var text: String
    /// The time at which the outside API accepted the comment, in ISO 8601.
    public var postedAt: String
}
