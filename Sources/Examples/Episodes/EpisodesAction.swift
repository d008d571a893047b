public import Statecast

/// What clients may send.
public enum EpisodesAction: ActionGroup, Codable, Equatable, Sendable {
    case screens(ScreensAction)
    case home(HomeAction)
    case episode(EpisodeAction)
    case comments(CommentsAction)
    case profile(ProfileAction)

    enum CodingKeys: CodingKey, CaseIterable { case screens, home, episode, comments, profile }
}

/// Moving between screens.
public enum ScreensAction: ActionGroup, Codable, Equatable, Sendable {
    case shown(ScreenID)
    case dismissed(ScreenID)

    enum CodingKeys: CodingKey, CaseIterable { case shown, dismissed }
}

/// On the list of episodes.
public enum HomeAction: ActionGroup, Codable, Equatable, Sendable {
    case refreshed
    case searchEdited(text: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable { case refreshed, searchEdited, retried }
}

/// On an episode.
public enum EpisodeAction: ActionGroup, Codable, Equatable, Sendable {
    case draftEdited(id: String, text: String)
    case commentPosted(id: String, text: String)
    case retried(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case draftEdited, commentPosted, retried }
}

/// On an episode's comments.
public enum CommentsAction: ActionGroup, Codable, Equatable, Sendable {
    case retried(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case retried }
}

/// On a person's profile.
public enum ProfileAction: ActionGroup, Codable, Equatable, Sendable {
    case retried(userID: String)

    enum CodingKeys: CodingKey, CaseIterable { case retried }
}
