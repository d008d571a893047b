public import Statecast

/// What only the server's effects report; a client that posts one is refused.
public enum EpisodesFact: ActionGroup, Codable, Equatable, Sendable {
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

/// Of the splash screen.
public enum SplashFact: ActionGroup, Codable, Equatable, Sendable {
    /// It was shown long enough.
    case ended

    enum CodingKeys: CodingKey, CaseIterable { case ended }
}

/// Of the list of episodes.
public enum HomeFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, episodes: [EpisodeSummary])
    case failed(request: Int, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

/// Of an episode's details.
public enum EpisodeFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, episode: Episode)
    case failed(request: Int, id: String, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

/// Of an episode's comments.
public enum CommentsFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, id: String, comments: [Comment])
    case failed(request: Int, id: String, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}

/// Of the comment that was posted.
public enum CommentFact: ActionGroup, Codable, Equatable, Sendable {
    case accepted(request: Int, comment: Comment)
    case failed(request: Int, id: String, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case accepted, failed }
}

/// Of a person's profile.
public enum ProfileFact: ActionGroup, Codable, Equatable, Sendable {
    case loaded(request: Int, user: User, comments: [Comment])
    case failed(request: Int, userID: String, message: String)

    enum CodingKeys: CodingKey, CaseIterable { case loaded, failed }
}
