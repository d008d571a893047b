import Statecast

extension EpisodesState {
    mutating func apply(_ action: HomeAction) throws(Rejection) {
        guard let home else { throw .notOpen("The list of episodes is not open.") }
        switch action {
        case .refreshed:
            let loading = nextRequest()
            updateHome { $0.loading = loading }
        case .retried:
            guard home.loading.hasFailed else { throw .nothingToRetry }
            let loading = nextRequest()
            updateHome { $0.loading = loading }
        case .searchEdited(let text):
            try refuseLong(text)
            guard text != home.searchText else { return }
            // The whole list is kept beside a search, once it has come.
            let isKnown = text.isBlank && !home.upcoming.isEmpty
            let loading: Loading = isKnown ? .idle : nextRequest()
            updateHome {
                $0.searchText = text
                $0.loading = loading
                if text.isBlank { $0.episodes = $0.upcoming }
            }
        }
    }

    mutating func apply(_ action: EpisodeAction) throws(Rejection) {
        switch action {
        case .draftEdited(let id, let text):
            let details = try opened(id)
            try refuseLong(text)
            guard details.comments.posting.request == nil else { throw .beingPosted }
            updateEpisode(id) { $0.comments.draft = text }
        case .commentPosted(let id, let text):
            let details = try opened(id)
            try refuseLong(text)
            guard !text.isBlank else {
                throw Rejection("empty-comment", "A comment needs some text.")
            }
            guard details.comments.posting.request == nil else { throw .beingPosted }
            let posting = nextRequest()
            updateEpisode(id) {
                $0.comments.draft = text
                $0.comments.posting = posting
            }
        case .retried(let id):
            guard try opened(id).loading.hasFailed else { throw .nothingToRetry }
            let loading = nextRequest()
            updateEpisode(id) { $0.loading = loading }
        }
    }

    mutating func retryComments(of id: String) throws(Rejection) {
        guard try opened(id).comments.loading.hasFailed else { throw .nothingToRetry }
        let loading = nextRequest()
        updateEpisode(id) { $0.comments.loading = loading }
    }

    mutating func retryProfile(of userID: String) throws(Rejection) {
        guard let profile = profile(userID) else { throw .notOpen("That profile is not open.") }
        guard profile.loading.hasFailed else { throw .nothingToRetry }
        let loading = nextRequest()
        updateProfile(userID) { $0.loading = loading }
    }

    private func opened(_ id: String) throws(Rejection) -> EpisodeDetails {
        guard let details = episode(id) else { throw .notOpen("That episode is not open.") }
        return details
    }

    private func refuseLong(_ text: String) throws(Rejection) {
        guard text.utf8.count <= EpisodesLimits.textByteCount else {
            throw Rejection(
                "text-too-long", "A text has at most \(EpisodesLimits.textByteCount) bytes.")
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
