package import EpisodesModel
package import HTTPClient
import OutsideAPI
import Statecast

/// The requests that the application makes of the outside API; tests put their own closures in.
package struct EpisodesUpstream: Sendable {
    /// The upcoming episodes whose show's title holds the text, by release date.
    package var episodes: @Sendable (_ query: String) async throws -> [EpisodeSummary]
    /// One episode in full.
    package var episode: @Sendable (_ id: String) async throws -> Episode
    /// The comments on an episode, newest first.
    package var comments: @Sendable (_ episodeID: String) async throws -> [Comment]
    /// Hands in a comment; author, id and time are the answer's.
    package var post: @Sendable (_ text: String, _ episodeID: String) async throws -> Comment
    package var user: @Sendable (_ id: String) async throws -> User
    /// The comments of a person, newest first.
    package var commentsOfUser: @Sendable (_ userID: String) async throws -> [Comment]
    /// The same requests for an owner; nil where they count for nobody.
    var owned: (@Sendable (_ owner: String) -> EpisodesUpstream)?
}

extension EpisodesUpstream {
    /// The outside API at `base`, for example `http://127.0.0.1:8081`, over HTTP.
    package init(client: OutboundClient, base: String) {
        self.init(api: JSONUpstream(client: client, base: base))
    }

    private init(api: JSONUpstream) {
        self.init(
            episodes: { try await api.get(UpstreamPath("episodes", query: ["query": $0])) },
            episode: { try await api.get(UpstreamPath("episodes", $0)) },
            comments: { try await api.get(UpstreamPath("episodes", $0, "comments")) },
            post: { text, id in
                try await api.post(
                    UpstreamPath("episodes", id, "comments"), PostedComment(text: text))
            },
            user: { try await api.get(UpstreamPath("users", $0)) },
            commentsOfUser: { try await api.get(UpstreamPath("users", $0, "comments")) })
        owned = { EpisodesUpstream(api: api.asked(for: $0)) }
    }

    /// The same outside API, asked for the session of an id, which has its share of the client's
    /// transfers.
    func asked(for session: SessionID) -> EpisodesUpstream {
        owned?("episodes/\(session)") ?? self
    }

    private struct PostedComment: Encodable {
        var text: String
    }
}
