import Statecast

/// The facts that the server's effects report; a client that posts one is refused.
package enum EpisodesFact: ActionGroup, Codable, Equatable, Sendable {
    case splash(SplashFact)
    case home(HomeFact)
    case episode(EpisodeFact)
    case comments(CommentsFact)
    case comment(CommentFact)
    case profile(ProfileFact)

    enum CodingKeys: CodingKey, CaseIterable {
        case splash, home, episode, comments, comment, profile
    }
}

/// The facts about the splash screen.
package enum SplashFact: ActionGroup, Codable, Equatable, Sendable {
    /// The splash screen was shown long enough.
    case ended

    enum CodingKeys: CodingKey, CaseIterable { case ended }
}

/// The facts about the list of episodes.
package enum HomeFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, episodes: [EpisodeSummary])
    case failed(request: Int, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

/// The facts about an episode's details.
package enum EpisodeFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, episode: Episode)
    case failed(request: Int, id: String, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

/// The facts about an episode's comments.
package enum CommentsFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, id: String, comments: [Comment])
    case failed(request: Int, id: String, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

/// The facts about the comment that was posted.
package enum CommentFact: ActionGroup, Codable, Equatable, Sendable {
    case accepted(request: Int, comment: Comment)
    case failed(request: Int, id: String, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case accepted, failed }
}

/// The facts about a person's profile.
package enum ProfileFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, user: User, comments: [Comment])
    case failed(request: Int, userID: String, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}
