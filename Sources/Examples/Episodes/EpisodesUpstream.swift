public import EpisodesModel
public import HTTPClient

/// The requests that the application makes of the outside API; tests put their own closures in.
public struct EpisodesUpstream: Sendable {
    /// The upcoming episodes whose show's title holds the text, by release date.
    public var episodes: @Sendable (_ query: String) async throws -> [EpisodeSummary]
    /// One episode in full.
    public var episode: @Sendable (_ id: String) async throws -> Episode
    /// The comments on an episode, newest first.
    public var comments: @Sendable (_ episodeID: String) async throws -> [Comment]
    /// Hands in a comment; author, id and time are the answer's.
    public var post: @Sendable (_ text: String, _ episodeID: String) async throws -> Comment
    public var user: @Sendable (_ id: String) async throws -> User
    /// The comments of a person, newest first.
    public var commentsOfUser: @Sendable (_ userID: String) async throws -> [Comment]
}

extension EpisodesUpstream {
    /// The outside API at `base`, for example `http://127.0.0.1:8081`, over HTTP.
    public init(client: OutboundClient, base: String) {
        let api = JSONUpstream(client: client, base: base)
        self.init(
            episodes: { try await api.get("episodes", query: ["query": $0]) },
            episode: { try await api.get("episodes", $0) },
            comments: { try await api.get("episodes", $0, "comments") },
            post: { text, id in
                try await api.post(["text": text], to: "episodes", id, "comments")
            },
            user: { try await api.get("users", $0) },
            commentsOfUser: { try await api.get("users", $0, "comments") })
    }
}
