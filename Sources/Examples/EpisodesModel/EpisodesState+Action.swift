public import Redux

extension EpisodesState {
    // Limits that keep the state small, however much clients send.
    private static let screenLimit = 50
    private static let idByteLimit = 128
    static let textByteLimit = 4096
    public static let episodeLimit = 500
    public static let commentLimit = 200

    /// Changes the state by an action; rejects a client's that has no meaning now.
    public mutating func apply(_ action: EpisodesAction) throws(Rejection) {
        switch action {
        case .splash(.ended):
            guard screens == [.splash] else { return }
            try show(.home)
        case .screens(.shown(let id)): try show(id)
        case .screens(.dismissed(let id)): try dismiss(id)
        case .home(let action): try apply(action)
        case .episode(let action): try apply(action)
        case .comments(let action): try apply(action)
        case .profile(let action): try apply(action)
        }
    }

    mutating func show(_ id: ScreenID) throws(Rejection) {
        switch id {
        case .splash:
            throw Rejection(
                "splash-not-shown", "The splash screen comes by itself.", kind: .conflict)
        case .home:
            var home = self.home ?? Home()
            home.presentedEpisode = nil
            if !home.loading.isLoading { home.load() }
            screens = [.home(home)]
        case .episode(let id):
            try refuseBad(id)
            var details = self[episode: id] ?? EpisodeDetails(id: id)
            details.loadMissing()
            self[episode: id] = details
            try push(.episode(details))
            home?.presentedEpisode = id
        case .profile(let userID, let commentID):
            try refuseBad(userID)
            if let commentID { try refuseBad(commentID) }
            var profile = Profile(userID: userID, commentID: commentID)
            profile.person = self[person: userID] ?? .idle
            if profile.person.value == nil { profile.person.load() }
            self[person: userID] = profile.person
            try push(.profile(profile))
            select(commentID, of: userID)
        }
    }

    /// Rejects a text that cannot be an id: an id goes into the state, and into a path of the outside
    /// API.
    private func refuseBad(_ id: String) throws(Rejection) {
        guard (1...Self.idByteLimit).contains(id.utf8.count), id != ".", id != ".." else {
            throw Rejection(
                "bad-id",
                "An id has 1 to \(Self.idByteLimit) bytes and is no dots alone.")
        }
    }

    private mutating func push(_ screen: Screen) throws(Rejection) {
        guard screens.count < Self.screenLimit else {
            throw Rejection(
                "too-many-screens",
                "At most \(Self.screenLimit) screens are open at once.",
                kind: .conflict)
        }
        screens.removeAll { $0 == .splash }
        screens.append(screen)
    }

    /// Remembers in the comments which profile was opened from which comment.
    private mutating func select(_ commentID: String?, of userID: String) {
        for details in episodes
        where details.comments.items.contains(where: { $0.id == commentID }) {
            self[episode: details.id]?.comments.selected = commentID
            self[episode: details.id]?.comments.presentedProfile = userID
        }
    }

    mutating func dismiss(_ id: ScreenID) throws(Rejection) {
        guard screens.contains(where: { $0.id == id }) else {
            throw .notOpen("That screen is not open.")
        }
        switch id {
        case .splash, .home:
            screens = [.splash]
        case .episode(let episodeID):
            screens.removeAll { $0.id == id }
            if home?.presentedEpisode == episodeID { home?.presentedEpisode = nil }
        case .profile(let userID, _):
            screens.removeAll { $0.id == id }
            guard self[person: userID] == nil else { break }
            for details in episodes where details.comments.presentedProfile == userID {
                self[episode: details.id]?.comments.selected = nil
                self[episode: details.id]?.comments.presentedProfile = nil
            }
        }
        if screens.isEmpty { screens = [.splash] }
    }
}
