internal import FoundationEssentials
internal import StateCoding

/// The resources of the Episodes application: `/episodes` and `/users`.
struct EpisodesAPI {
    /// The mock keeps so many comments, the newest.
    static let commentLimit = 2_000
    /// The most bytes of a comment's text.
    static let textLimit = 2_000

    private let episodes: [EpisodeDetails]
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

    mutating func answer(_ request: MockRequest, now: Date) -> MockAnswer {
        let parts = request.parts
        switch (parts.first, parts.count) {
        case ("episodes", 1):
            return onlyGet(request) { list(query: request.query["query"] ?? "") }
        case ("episodes", 2):
            return onlyGet(request) {
                episode(parts[1]).map { .json($0) } ?? .unknown("episode \(parts[1])")
            }
        case ("episodes", 3) where parts[2] == "comments":
            return answerComments(request, episodeID: parts[1], now: now)
        case ("users", 2):
            return onlyGet(request) {
                Catalogue.user(parts[1]).map { .json($0) } ?? .unknown("user \(parts[1])")
            }
        case ("users", 3) where parts[2] == "comments":
            return onlyGet(request) {
                Catalogue.user(parts[1]) == nil
                    ? .unknown("user \(parts[1])")
                    : newestFirst { $0.author.id == parts[1] }
            }
        default:
            return .unknown("resource \(request.path)")
        }
    }

    private func onlyGet(_ request: MockRequest, _ answer: () -> MockAnswer) -> MockAnswer {
        request.method == "GET" ? answer() : .notAllowed("GET, HEAD")
    }

    private func list(query: String) -> MockAnswer {
        let wanted = query.lowercased()
        let found = episodes.filter {
            wanted.isEmpty || $0.show.lowercased().contains(wanted)
        }
        return .json(
            found.sorted { ($0.releaseDate, $0.id) < ($1.releaseDate, $1.id) }.map(\.summaryOnly))
    }

    private func episode(_ id: String) -> EpisodeDetails? {
        episodes.first { $0.id == id }
    }

    private func newestFirst(_ isWanted: (Comment) -> Bool) -> MockAnswer {
        .json(Array(comments.filter(isWanted).reversed()))
    }

    private mutating func answerComments(
        _ request: MockRequest, episodeID: String, now: Date
    ) -> MockAnswer {
        guard let episode = episode(episodeID) else { return .unknown("episode \(episodeID)") }
        switch request.method {
        case "GET": return newestFirst { $0.episodeID == episodeID }
        case "POST": return post(request.body, to: episode, now: now)
        default: return .notAllowed("GET, HEAD, POST")
        }
    }

    private mutating func post(
        _ body: [UInt8], to episode: EpisodeDetails, now: Date
    ) -> MockAnswer {
        let draft: CommentDraft
        do {
            draft = try StateDecoder().decode(CommentDraft.self, from: body.span)
        } catch {
            return .problem(400, "bad-body", "A comment is {\"userID\":…,\"text\":…}: \(error)")
        }
        let isEmpty = draft.text.allSatisfy(\.isWhitespace)
        guard !isEmpty, draft.text.utf8.count <= Self.textLimit else {
            return .problem(422, "bad-text", "A text of 1 to \(Self.textLimit) bytes.")
        }
        guard let author = Catalogue.user(draft.userID ?? Catalogue.defaultUserID) else {
            return .problem(422, "unknown-user", "There is no user \(draft.userID ?? "").")
        }
        lastCommentNumber += 1
        let comment = Comment(
            id: "c\(lastCommentNumber)", episodeID: episode.id, episodeTitle: episode.shortTitle,
            author: author, text: draft.text, postedAt: now)
        comments.append(comment)
        if comments.count > Self.commentLimit { comments.removeFirst() }
        return .json(comment, status: 201)
    }
}
