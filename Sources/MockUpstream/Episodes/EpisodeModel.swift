internal import FoundationEssentials

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

/// The body of `POST /episodes/{id}/comments`. Without `userID` the author is `ada`; an empty
/// text is refused with 422, an unknown user with 422.
///
///     {"userID":"mira","text":"That whistle!"}
struct CommentDraft: Decodable, Sendable {
    var userID: String?
    var text: String
}
