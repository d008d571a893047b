internal import FoundationEssentials

/// The resources of the Episodes application: `/episodes` and `/users`.
struct EpisodesAPI {
    /// The mock keeps so many comments, the newest.
    static let commentLimit = 2_000
    /// The most bytes of a comment's text.
    static let textLimit = 2_000

    private let episodes: [Episode]
    /// In the order they were posted.
    private var comments: [Comment]
    private var lastCommentNumber: Int

    /// Release dates and the times of the first comments are relative to `start`.
    init(start: Date) {
        let episodes = Catalogue.episodes(start: start)
        self.episodes = episodes
        comments = Catalogue.comments(start: start, episodes: episodes)
        lastCommentNumber = comments.count
    }

    mutating func answer(_ request: MockRequest, now: Date) throws(MockAnswer) -> MockAnswer {
        let parts = request.parts
        switch (parts.first, parts.count) {
        case ("episodes", 3) where parts[2] == "comments" && request.method == "POST":
            return try post(request, to: try episode(parts[1]), now: now)
        case ("episodes", 3) where parts[2] == "comments":
            let id = try episode(parts[1]).id
            guard request.method == "GET" else { throw .notAllowed("GET, HEAD, POST") }
            return newestFirst { $0.episodeID == id }
        case ("episodes", 1):
            try request.onlyGet()
            return list(query: request.query["query"] ?? "")
        case ("episodes", 2):
            try request.onlyGet()
            return .json(try episode(parts[1]))
        case ("users", 2):
            try request.onlyGet()
            return .json(try user(parts[1]))
        case ("users", 3) where parts[2] == "comments":
            try request.onlyGet()
            let id = try user(parts[1]).id
            return newestFirst { $0.author.id == id }
        default:
            throw .unknown("resource \(request.path)")
        }
    }

    private func list(query: String) -> MockAnswer {
        let wanted = query.lowercased()
        let found = episodes.filter {
            wanted.isEmpty || $0.show.lowercased().contains(wanted)
        }
        return .json(
            found.sorted { ($0.releaseDate, $0.id) < ($1.releaseDate, $1.id) }.map(\.inList))
    }

    private func episode(_ id: String) throws(MockAnswer) -> Episode {
        guard let episode = episodes.first(where: { $0.id == id }) else {
            throw .unknown("episode \(id)")
        }
        return episode
    }

    private func user(_ id: String) throws(MockAnswer) -> User {
        guard let user = Catalogue.user(id) else { throw .unknown("user \(id)") }
        return user
    }

    private func newestFirst(_ isWanted: (Comment) -> Bool) -> MockAnswer {
        .json(Array(comments.filter(isWanted).reversed()))
    }

    /// Takes `{"userID":"mira","text":"That whistle!"}`. Without `userID` the author is `ada`; an
    /// empty text is refused with 422, an unknown user with 422.
    private mutating func post(
        _ request: MockRequest, to episode: Episode, now: Date
    ) throws(MockAnswer) -> MockAnswer {
        let form = "A comment is {\"userID\":…,\"text\":…}"
        let draft: [String: String] = try request.decodeBody(form)
        guard let text = draft["text"] else { throw .problem(400, "bad-body", form) }
        guard !text.allSatisfy(\.isWhitespace), text.utf8.count <= Self.textLimit else {
            throw .problem(422, "bad-text", "A text of 1 to \(Self.textLimit) bytes.")
        }
        let userID = draft["userID"] ?? Catalogue.defaultUserID
        guard let author = Catalogue.user(userID) else {
            throw .problem(422, "unknown-user", "There is no user \(userID).")
        }
        lastCommentNumber += 1
        let comment = Comment(
            id: "c\(lastCommentNumber)", episodeID: episode.id, episodeTitle: episode.shortTitle,
            author: author, text: text, postedAt: now)
        comments.append(comment)
        if comments.count > Self.commentLimit { comments.removeFirst() }
        return .json(comment, status: 201)
    }
}

/// An episode, as `GET /episodes/{id}` answers.
///
///     {"id":"tin-harbour-2-3","show":"Tin Harbour","title":"The Late Ferry","season":2,
///      "number":3,"releaseDate":"2026-11-21T20:15:00.000Z",
///      "picture":"/pictures/episodes/tin-harbour-2-3.svg",
///      "summary":"A ferry arrives a day late, with one passenger too many.",
///      "runtimeMinutes":47}
///
/// `GET /episodes?query=` answers an array without the last two members, sorted by release date;
/// `query` is a case-insensitive part of the show's title, absent or empty means all.
///
/// Ids are stable over restarts; release dates are relative to the start of the mock. A picture
/// is a path among the pages: `Public/pictures` holds the files.
struct Episode: Encodable, Sendable {
    var id: String
    var show: String
    var title: String
    var season: Int
    var number: Int
    var releaseDate: Date
    var picture: String
    var summary: String?
    var runtimeMinutes: Int?

    /// The part of an episode that a list shows.
    var inList: Episode {
        var episode = self
        (episode.summary, episode.runtimeMinutes) = (nil, nil)
        return episode
    }

    /// `Tin Harbour 2×03`
    var shortTitle: String {
        "\(show) \(season)×\(number < 10 ? "0" : "")\(number)"
    }
}

/// A user, as `GET /users/{id}` answers, and as the author inside of a comment.
///
///     {"id":"mira","name":"Mira Okonjo","about":"Pauses to read every sign.",
///      "picture":"/pictures/users/mira.svg"}
struct User: Encodable, Sendable {
    var id: String
    var name: String
    var about: String
    var picture: String
}

/// A comment, as `GET /episodes/{id}/comments` and `GET /users/{id}/comments` answer (arrays,
/// newest first, possibly empty), and `POST /episodes/{id}/comments` (201).
///
///     {"id":"c7","episodeID":"tin-harbour-2-3","episodeTitle":"Tin Harbour 2×03",
///      "author":{"id":"mira",…},"text":"That whistle!","postedAt":"2026-11-20T18:02:11.000Z"}
struct Comment: Encodable, Sendable {
    var id: String
    var episodeID: String
    var episodeTitle: String
    var author: User
    var text: String
    var postedAt: Date
}
