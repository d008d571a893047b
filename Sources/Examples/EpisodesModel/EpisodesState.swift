import Redux

/// The whole application: a stack of screens, the last one in front.
package struct EpisodesState: StateValue {
    /// The stack is never empty and starts as `[splash]`.
    package var screens: [Screen] = [.splash]

    package init() {}

    /// The list of episodes, wherever in the stack.
    package var home: Home? {
        for case .home(let home) in screens { return home }
        return nil
    }

    /// An episode's screen, wherever in the stack.
    package func episode(_ id: String) -> EpisodeDetails? {
        for case .episode(let details) in screens where details.id == id { return details }
        return nil
    }

    /// A person's profile, wherever in the stack.
    package func profile(_ userID: String) -> Profile? {
        for case .profile(let profile) in screens where profile.userID == userID { return profile }
        return nil
    }

    /// The episodes that are open, each once, however many screens show it.
    package var episodes: [EpisodeDetails] {
        var ids: Set<String> = []
        return screens.compactMap { screen in
            guard case .episode(let details) = screen, ids.insert(details.id).inserted
            else { return nil }
            return details
        }
    }

    /// The profiles that are open, one of each person.
    package var profiles: [Profile] {
        var userIDs: Set<String> = []
        return screens.compactMap { screen in
            guard case .profile(let profile) = screen, userIDs.insert(profile.userID).inserted
            else { return nil }
            return profile
        }
    }

    /// Changes the list of episodes where it is shown.
    mutating func updateHome(_ change: (inout Home) -> Void) {
        for index in screens.indices {
            guard case .home(var home) = screens[index] else { continue }
            change(&home)
            screens[index] = .home(home)
        }
    }

    /// Changes an episode's screens; does nothing where there is none.
    mutating func updateEpisode(_ id: String, _ change: (inout EpisodeDetails) -> Void) {
        for index in screens.indices {
            guard case .episode(var details) = screens[index], details.id == id else { continue }
            change(&details)
            screens[index] = .episode(details)
        }
    }

    /// Changes a person's profiles; does nothing where there is none.
    mutating func updateProfile(_ userID: String, _ change: (inout Profile) -> Void) {
        for index in screens.indices {
            guard case .profile(var profile) = screens[index], profile.userID == userID
            else { continue }
            change(&profile)
            screens[index] = .profile(profile)
        }
    }
}
