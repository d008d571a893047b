import ClientWire
import Redux
import StateCoding

/// Follows a session, over breaks of the connection and restarts of the server.
@MainActor final class Follower {
    private var feed: SessionFeed
    private let remote: Remote
    private let clock = ContinuousClock()
    private let now: () -> Duration
    private var wasLive = false
    /// The person was told.
    private var isAway = false

    /// - Parameter token: the versions behind it are followed, and no state.
    init(
        of session: String, query: String = "", behind token: Token? = nil,
        on remote: Remote
    ) {
        feed = SessionFeed(
            of: session, query: query, behind: token, fields: remote.fields,
            seed: .random(in: .min ... .max))
        (self.remote, now) = (remote, clock.timeSinceNow())
    }

    /// Hands out what the server shows, until `take` has enough; throws where the session is lost, or refused.
    func run(_ take: @escaping @MainActor (SessionFeed.News) async throws -> Bool) async throws {
        while true {
            switch feed.next(at: now()) {
            case .describe(let request)?, .post(let request)?:
                feed.describe(
                    await remote.answer(to: request, within: SessionFeed.patience), at: now())
            case .watch(let request)?:
                if try await watch(request, take) { return }
            case nil: break
            }
            try await rest()
        }
    }

    /// Says what the connection does, and waits for the time of the next attempt.
    private func rest() async throws {
        switch feed.status {
        case .refused(let problem), .lost(let problem): throw problem
        case .away(let problem): try leave(problem)
        case .connecting, .live: break
        }
        guard let deadline = feed.deadline, deadline > now() else { return }
        try await clock.sleep(for: deadline - now())
    }

    private func leave(_ problem: MirrorProblem) throws {
        // A server that was never there is a mistake in the URL.
        let isPatient = problem.code != "not-connected" && now() < remote.patience
        guard wasLive || problem.reaction == .again && isPatient else { throw problem }
        if !isAway { remote.terminal.tell("Reconnecting: \(problem.detail)") }
        isAway = true
    }

    private func comeBack() {
        if isAway { remote.terminal.tell("Connected again.") }
        (wasLive, isAway) = (true, false)
    }

    /// Reads one stream to its end, or until it is silent for too long; true: enough was read.
    private func watch(
        _ request: ClientRequest,
        _ take: @escaping @MainActor (SessionFeed.News) async throws -> Bool
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { try await self.read(request, take) }
            group.addTask { try await self.waitForSilence() }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    private func read(
        _ request: ClientRequest, _ take: @MainActor (SessionFeed.News) async throws -> Bool
    ) async throws -> Bool {
        do {
            let answer = try await remote.transport.send(request)
            guard answer.status == 200 else { throw MirrorProblem(try await answer.whole()) }
            feed.open(at: now())
            for try await bytes in answer.body {
                feed.read(bytes, at: now())
                while let news = feed.nextNews(at: now()) {
                    comeBack()
                    if try await take(news) { return true }
                }
                // Another stream begins anew where this one does not lead on.
                guard feed.isOpen else { return false }
            }
            feed.end(nil, at: now())
        } catch {
            // Also where a request that the news led to has failed: it is made again with the next ones.
            let problem = MirrorProblem(error)
            guard problem.code != "output-lost" else { throw problem }
            feed.end(problem, at: now())
        }
        return false
    }

    private func waitForSilence() async throws -> Bool {
        while let deadline = feed.deadline, deadline > now() {
            try await clock.sleep(for: deadline - now())
        }
        return false
    }
}
