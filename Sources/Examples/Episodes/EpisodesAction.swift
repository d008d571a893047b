import Statecast

/// The actions that clients send.
package enum EpisodesAction: ActionGroup, Codable, Equatable, Sendable {
    case screens(ScreensAction)
    case home(HomeAction)
    case episode(EpisodeAction)
    case comments(CommentsAction)
    case profile(ProfileAction)

    enum CodingKeys: CodingKey, CaseIterable { case screens, home, episode, comments, profile }
}

/// The actions that move between screens.
package enum ScreensAction: ActionGroup, Codable, Equatable, Sendable {
    case shown(ScreenID)
    case dismissed(ScreenID)

    enum CodingKeys: CodingKey, CaseIterable { case shown, dismissed }
}

/// The actions on the list of episodes.
package enum HomeAction: ActionGroup, Codable, Equatable, Sendable {
    case refreshed
    case searchEdited(text: String)
    case retried

    enum CodingKeys: CodingKey, CaseIterable { case refreshed, searchEdited, retried }
}

/// The actions on an episode.
package enum EpisodeAction: ActionGroup, Codable, Equatable, Sendable {
    case draftEdited(id: String, text: String)
    case commentPosted(id: String, text: String)
    case retried(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case draftEdited, commentPosted, retried }
}

/// The actions on an episode's comments.
package enum CommentsAction: ActionGroup, Codable, Equatable, Sendable {
    case retried(id: String)

    enum CodingKeys: CodingKey, CaseIterable { case retried }
}

/// The actions on a person's profile.
package enum ProfileAction: ActionGroup, Codable, Equatable, Sendable {
    case retried(userID: String)

    enum CodingKeys: CodingKey, CaseIterable { case retried }
}
