import Redux

/// One line of the list of episodes.
package struct EpisodeSummary: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"e7"`.
    package var id: String
    package var show: String
    package var title: String
    /// Counted from 1.
    package var season: Int
    /// Counted from 1 within the season.
    package var number: Int
    /// ISO 8601: `2026-11-21T20:15:00.000Z`. The countdown to it runs in the browser.
    package var releaseDate: String
    /// The picture stands on the page's own host where its URL names none.
    package var picture: String
}

/// All that is told of one episode.
package struct Episode: StateValue, Identifiable {
    /// The id is stable over restarts.
    package var id: String
    package var show: String
    package var title: String
    /// Counted from 1.
    package var season: Int
    /// Counted from 1 within the season.
    package var number: Int
    /// One line on what happens.
    package var summary: String
    /// ISO 8601.
    package var releaseDate: String
    /// The picture stands on the page's own host where its URL names none.
    package var picture: String
    package var runtimeMinutes: Int
}

/// A person who writes comments.
package struct User: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"u2"`.
    package var id: String
    package var name: String
    /// One line about the person.
    package var about: String
    /// The picture stands on the page's own host where its URL names none.
    package var picture: String
}

/// A person and their comments.
package struct Person: StateValue {
    package var user: User
    /// Newest first.
    package var comments: [Comment]

    package init(user: User, comments: [Comment]) {
        self.user = user
        self.comments = comments
    }
}

/// A comment; author, id and time are the outside API's to give, never the client's.
package struct Comment: StateValue, Identifiable {
    /// The id is stable over restarts, for example `"c14"`.
    package var id: String
    /// The episode that it speaks of.
    package var episodeID: String
    /// The episode's title, for lists of comments on several.
    package var episodeTitle: String
    package var author: User
    package var text: String
    /// The time at which the outside API accepted the comment, in ISO 8601.
    package var postedAt: String
}
