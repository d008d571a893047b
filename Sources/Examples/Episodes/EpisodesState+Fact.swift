import Statecast

extension EpisodesState {
    /// Changes the state by an effect's report; a report whose request is no longer the latest
    /// changes nothing.
    mutating func apply(_ fact: EpisodesFact) {
        switch fact {
        case .splash(.ended): endSplash()
        case .home(let fact): apply(fact)
        case .episode(let fact): apply(fact)
        case .comments(let fact): apply(fact)
        case .comment(let fact): apply(fact)
        case .profile(let fact): apply(fact)
        }
    }

    private mutating func endSplash() {
        guard screens == [.splash] else { return }
        var home = Home()
        home.loading = nextRequest()
        screens = [.home(home)]
    }

    private mutating func apply(_ fact: HomeFact) {
        updateHome { home in
            switch fact {
            case .loaded(let request, let episodes):
                guard home.loading.request == request else { return }
                home.loading = .idle
                home.episodes = episodes
                if home.searchText.isBlank { home.upcoming = episodes }
            case .failed(let request, let message):
                guard home.loading.request == request else { return }
                home.loading = .failed(message)
            }
        }
    }

    private mutating func apply(_ fact: EpisodeFact) {
        switch fact {
        case .loaded(let request, let episode):
            updateEpisode(episode.id) {
                guard $0.loading.request == request else { return }
                $0.loading = .idle
                $0.details = episode
            }
        case .failed(let request, let id, let message):
            updateEpisode(id) {
                if $0.loading.request == request { $0.loading = .failed(message) }
            }
        }
    }

    private mutating func apply(_ fact: CommentsFact) {
        switch fact {
        case .loaded(let request, let id, let comments):
            updateEpisode(id) {
                guard $0.comments.loading.request == request else { return }
                $0.comments.loading = .idle
                $0.comments.items = comments
            }
        case .failed(let request, let id, let message):
            updateEpisode(id) {
                if $0.comments.loading.request == request {
                    $0.comments.loading = .failed(message)
                }
            }
        }
    }

    private mutating func apply(_ fact: CommentFact) {
        switch fact {
        case .accepted(let request, let comment):
            updateEpisode(comment.episodeID) {
                guard $0.comments.posting.request == request else { return }
                $0.comments.posting = .idle
                $0.comments.draft = ""
                $0.comments.items.removeAll { $0.id == comment.id }
                $0.comments.items.insert(comment, at: 0)
                if $0.comments.items.count > EpisodesLimits.comments {
                    $0.comments.items.removeLast()
                }
            }
        case .failed(let request, let id, let message):
            updateEpisode(id) {
                if $0.comments.posting.request == request {
                    $0.comments.posting = .failed(message)
                }
            }
        }
    }

    private mutating func apply(_ fact: ProfileFact) {
        switch fact {
        case .loaded(let request, let user, let comments):
            updateProfile(user.id) {
                guard $0.loading.request == request else { return }
                $0.loading = .idle
                $0.user = user
                $0.comments = comments
            }
        case .failed(let request, let userID, let message):
            updateProfile(userID) {
                if $0.loading.request == request { $0.loading = .failed(message) }
            }
        }
    }
}
