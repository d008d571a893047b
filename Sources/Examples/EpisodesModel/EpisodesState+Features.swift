import Redux

extension EpisodesState {
    mutating func apply(_ action: HomeAction) throws(Rejection) {
        switch action {
        case .refreshed:
            _ = try openedHome()
            home?.load()
        case .retried:
            try refuseRetry(of: try openedHome().loading)
            home?.load()
        case .searchEdited(let text):
            let searchText = try openedHome().searchText
            try refuseLong(text)
            if text != searchText { home?.edit(text) }
        case .loaded(let answer): home?.finish(answer)
        }
    }

    mutating func apply(_ action: EpisodeAction) throws(Rejection) {
        switch action {
        case .draftEdited(let id, let text):
            try refuseDraft(text, of: id)
            self[episode: id]?.comments.draft = text
        case .commentPosted(let id, let text):
            try refuseDraft(text, of: id, mayBeBlank: false)
            self[episode: id]?.comments.draft = text
            self[episode: id]?.comments.posting.load()
        case .retried(let id):
            try refuseRetry(of: try opened(id).details)
            self[episode: id]?.details.load()
        case .loaded(let id, let answer): self[episode: id]?.details.finish(answer)
        case .commentAnswered(let id, let answer):
            self[episode: id]?.comments.finishPosting(answer)
        }
    }

    mutating func apply(_ action: CommentsAction) throws(Rejection) {
        switch action {
        case .retried(let id):
            try refuseRetry(of: try opened(id).comments.loading)
            self[episode: id]?.comments.loading.load()
        case .loaded(let id, let answer): self[episode: id]?.comments.finish(answer)
        }
    }

    mutating func apply(_ action: ProfileAction) throws(Rejection) {
        switch action {
        case .retried(let userID):
            guard let person = self[person: userID] else {
                throw .notOpen("That profile is not open.")
            }
            try refuseRetry(of: person)
            self[person: userID]?.load()
        case .loaded(let userID, let answer): self[person: userID]?.finish(answer)
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
        guard let details = self[episode: id] else { throw .notOpen("That episode is not open.") }
        return details
    }

    private func refuseDraft(
        _ text: String, of id: String, mayBeBlank: Bool = true
    ) throws(Rejection) {
        let posting = try opened(id).comments.posting
        try refuseLong(text)
        guard mayBeBlank || !text.isBlank else {
            throw Rejection("empty-comment", "A comment needs some text.")
        }
        guard !posting.isLoading else {
            throw Rejection(
                "being-posted", "The comment is on its way; wait for its answer.", kind: .conflict)
        }
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
}

extension String {
    /// True where the text is empty or holds white space alone.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
