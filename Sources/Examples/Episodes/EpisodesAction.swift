import Statecast

/// All that can happen: actions that clients send, and facts that the server's effects report.
package enum EpisodesAction: ActionGroup {
    case screens(ScreensAction)
    case home(HomeAction)
    case episode(EpisodeAction)
    case comments(CommentsAction)
    case profile(ProfileAction)
    case fact(EpisodesFact)
}

/// The actions that move between screens.
package enum ScreensAction: ActionGroup {
    case shown(ScreenID)
    case dismissed(ScreenID)
}

/// The actions on the list of episodes.
package enum HomeAction: ActionGroup {
    case refreshed
    case searchEdited(text: String)
    case retried
}

/// The actions on an episode.
package enum EpisodeAction: ActionGroup {
    case draftEdited(id: String, text: String)
    case commentPosted(id: String, text: String)
    case retried(id: String)
}

/// The actions on an episode's comments.
package enum CommentsAction: ActionGroup {
    case retried(id: String)
}

/// The actions on a person's profile.
package enum ProfileAction: ActionGroup {
    case retried(userID: String)
}
