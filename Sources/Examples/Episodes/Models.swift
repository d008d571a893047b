public import FoundationEssentials

/// One line of the list of episodes.
public struct EpisodeSummary: Codable, Equatable, Sendable, Identifiable {
    /// Stable over restarts, for example `"e7"`.
    public var id: String
    /// The show's title.
    public var show: String
    /// The episode's title.
    public var title: String
    /// Counted from 1.
    public var season: Int
    /// Counted from 1 within the season.
    public var number: Int
    /// When it is released; the countdown runs in the browser.
    public var releaseDate: Date
    /// A picture, on the page's own host where it names none.
    public var picture: URL

    /// A summary of known parts.
    public init(
        id: String, show: String, title: String, season: Int, number: Int, releaseDate: Date,
        picture: URL
    ) {
        self.id = id
        self.show = show
        self.title = title
        self.season = season
        self.number = number
        self.releaseDate = releaseDate
        self.picture = picture
    }
}

/// All that is told of one episode.
public struct Episode: Codable, Equatable, Sendable, Identifiable {
    /// Stable over restarts.
    public var id: String
    /// The show's title.
    public var show: String
    /// The episode's title.
    public var title: String
    /// Counted from 1.
    public var season: Int
    /// Counted from 1 within the season.
    public var number: Int
    /// One line on what happens.
    public var summary: String
    /// When it is released.
    public var releaseDate: Date
    /// A picture, on the page's own host where it names none.
    public var picture: URL
    /// How long it is.
    public var runtimeMinutes: Int

    /// An episode of known parts.
    public init(
        id: String, show: String, title: String, season: Int, number: Int, summary: String,
        releaseDate: Date, picture: URL, runtimeMinutes: Int
    ) {
        self.id = id
        self.show = show
        self.title = title
        self.season = season
        self.number = number
        self.summary = summary
        self.runtimeMinutes = runtimeMinutes
        self.releaseDate = releaseDate
        self.picture = picture
    }
}

/// A person who writes comments.
public struct User: Codable, Equatable, Sendable, Identifiable {
    /// Stable over restarts, for example `"u2"`.
    public var id: String
    /// The name that is shown.
    public var name: String
    /// One line about the person.
    public var about: String
    /// A picture, on the page's own host where it names none.
    public var picture: URL

    /// A user of known parts.
    public init(id: String, name: String, about: String, picture: URL) {
        self.id = id
        self.name = name
        self.about = about
        self.picture = picture
    }
}

/// A comment; author, id and time are the outside API's to give, never the client's.
public struct Comment: Codable, Equatable, Sendable, Identifiable {
    /// Stable over restarts, for example `"c14"`.
    public var id: String
    /// The episode that it speaks of.
    public var episodeID: String
    /// The episode's title, for lists of comments on several.
    public var episodeTitle: String
    /// Who wrote it.
    public var author: User
    /// What it says.
    public var text: String
    /// When it was accepted.
    public var postedAt: Date

    /// A comment of known parts.
    public init(
        id: String, episodeID: String, episodeTitle: String, author: User, text: String,
        postedAt: Date
    ) {
        self.id = id
        self.episodeID = episodeID
        self.episodeTitle = episodeTitle
        self.author = author
        self.text = text
        self.postedAt = postedAt
    }
}
