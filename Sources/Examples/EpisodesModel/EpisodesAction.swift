public import Redux

/// All that can happen: actions that clients send, and facts that the server's work reports.
public enum EpisodesAction: ActionGroup {
    case splash(SplashFact)
    case screens(ScreensAction)
    case home(HomeAction)
    case episode(EpisodeAction)
    case comments(CommentsAction)
    case profile(ProfileAction)
}

/// The facts about the splash screen.
public enum SplashFact: FactGroup {
    /// The splash screen was shown long enough.
    case ended
}

/// The actions that move between screens.
public enum ScreensAction: ActionGroup {
    case shown(ScreenID)
    case dismissed(ScreenID)
}

/// The actions on the list of episodes.
public enum HomeAction: ActionGroup {
    case refreshed
    case searchEdited(text: String)
    case retried
    /// A fact: the outside API has answered.
    case loaded(Answer<[EpisodeSummary]>)
}

/// The actions on an episode.
public enum EpisodeAction: ActionGroup {
    case draftEdited(id: String, text: String)
    case commentPosted(id: String, text: String)
    case retried(id: String)
    /// A fact: the outside API has answered.
    case loaded(id: String, answer: Answer<Episode>)
    /// A fact: the outside API has accepted the draft, or not.
    case commentAnswered(id: String, answer: Answer<Comment>)
}

/// The actions on an episode's comments.
public enum CommentsAction: ActionGroup {
    case retried(id: String)
    /// A fact: the outside API has answered.
    case loaded(id: String, answer: Answer<[Comment]>)
}

/// The actions on a person's profile.
public enum ProfileAction: ActionGroup {
    case retried(userID: String)
    /// A fact: the outside API has answered.
    case loaded(userID: String, answer: Answer<Person>)
}
