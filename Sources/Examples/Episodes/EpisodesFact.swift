import Statecast

/// The facts that the server's effects report; a client that posts one is refused.
package enum EpisodesFact: FactGroup {
    case splash(SplashFact)
    case home(HomeFact)
    case episode(EpisodeFact)
    case comments(CommentsFact)
    case comment(CommentFact)
    case profile(ProfileFact)
}

/// The facts about the splash screen.
package enum SplashFact: FactGroup {
    /// The splash screen was shown long enough.
    case ended
}

/// The facts about the list of episodes.
package enum HomeFact: FactGroup {
    case loaded(request: Int, episodes: [EpisodeSummary])
    case failed(request: Int, message: String)
}

/// The facts about an episode's details.
package enum EpisodeFact: FactGroup {
    case loaded(request: Int, episode: Episode)
    case failed(request: Int, id: String, message: String)
}

/// The facts about an episode's comments.
package enum CommentsFact: FactGroup {
    case loaded(request: Int, id: String, comments: [Comment])
    case failed(request: Int, id: String, message: String)
}

/// The facts about the comment that was posted.
package enum CommentFact: FactGroup {
    case accepted(request: Int, comment: Comment)
    case failed(request: Int, id: String, message: String)
}

/// The facts about a person's profile.
package enum ProfileFact: FactGroup {
    case loaded(request: Int, user: User, comments: [Comment])
    case failed(request: Int, userID: String, message: String)
}
