import Redux

extension EpisodesState {
    mutating func apply(_ action: HomeAction) throws(Rejection) {
        switch action {
        case .refreshed:
            _ = try openedHome()
            updateHome { $0.load() }
        case .retried:
            try refuseRetry(of: try openedHome().loading)
            updateHome { $0.load() }
        case .searchEdited(let text):
            let home = try openedHome()
            try refuseLong(text)
            guard text != home.searchText else { return }
            updateHome { $0.edit(text) }
        case .loaded(let answer): updateHome { $0.finish(answer) }
        }
    }

    mutating func apply(_ action: EpisodeAction) throws(Rejection) {
        switch action {
        case .draftEdited(let id, let text):
            let details = try opened(id)
            try refuseLong(text)
            guard !details.comments.posting.isLoading else { throw .beingPosted }
            updateEpisode(id) { $0.comments.draft = text }
        case .commentPosted(let id, let text):
            let details = try opened(id)
            try refuseLong(text)
            guard !text.isBlank else {
                throw Rejection("empty-comment", "A comment needs some text.")
            }
            guard !details.comments.posting.isLoading else { throw .beingPosted }
            updateEpisode(id) {
                $0.comments.draft = text
                $0.comments.posting.load()
            }
        case .retried(let id):
            try refuseRetry(of: try opened(id).details)
            updateEpisode(id) { $0.details.load() }
        case .loaded(let id, let answer): updateEpisode(id) { $0.details.finish(answer) }
        case .commentAnswered(let id, let answer):
            updateEpisode(id) { $0.comments.finishPosting(answer) }
        }
    }

    mutating func apply(_ action: CommentsAction) throws(Rejection) {
        switch action {
        case .retried(let id):
            try refuseRetry(of: try opened(id).comments.loading)
            updateEpisode(id) { $0.comments.loading.load() }
        case .loaded(let id, let answer): updateEpisode(id) { $0.comments.finish(answer) }
        }
    }

    mutating func apply(_ action: ProfileAction) throws(Rejection) {
        switch action {
        case .retried(let userID):
            guard let profile = profile(userID) else { throw .notOpen("That profile is not open.") }
            try refuseRetry(of: profile.person)
            updateProfile(userID) { $0.person.load() }
        case .loaded(let userID, let answer): updateProfile(userID) { $0.person.finish(answer) }
        }
    }

    private func refuseRetry(of fetch: Loadable<some StateValue>) throws(Rejection) {
        guard fetch.problem != nil else { throw .nothingToRetry }
    }

    private func openedHome() throws(Rejection) -> Home {
        guard let home else { throw .notOpen("The list of episodes is not open.") }
        return home
    }

    private func opened(_ id: String) throws(Rejection) -> EpisodeDetails {
        guard let details = episode(id) else { throw .notOpen("That episode is not open.") }
        return details
    }

    private func refuseLong(_ text: String) throws(Rejection) {
        guard text.utf8.count <= Self.textByteLimit else {
            throw Rejection(
                "text-too-long", "A text has at most \(Self.textByteLimit) bytes.")
        }
    }
}

extension Rejection {
    static func notOpen(_ message: String) -> Rejection {
        Rejection("screen-not-shown", message, kind: .conflict)
    }

    static var nothingToRetry: Rejection {
        Rejection("nothing-to-retry", "The last fetch did not fail.", kind: .conflict)
    }

    static var beingPosted: Rejection {
        Rejection(
            "being-posted", "The comment is on its way; wait for its answer.", kind: .conflict)
    }
}

extension String {
    /// True where the text is empty or holds white space alone.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
