import EpisodesModel
import Statecast

extension EpisodesUpstream {
    /// The first of the upcoming episodes whose show's title holds the text.
    func list(_ query: String) async throws -> [EpisodeSummary] {
        Array(try await episodes(query).prefix(EpisodesLimits.episodes))
    }

    /// The newest comments on an episode.
    func newestComments(_ episodeID: String) async throws -> [Comment] {
        Array(try await comments(episodeID).prefix(EpisodesLimits.comments))
    }

    /// A person with the newest of their comments, both asked for at once.
    func person(_ userID: String) async throws -> Person {
        async let user = user(userID)
        async let comments = commentsOfUser(userID)
        return Person(
            user: try await user,
            comments: Array(try await comments.prefix(EpisodesLimits.comments)))
    }
}
