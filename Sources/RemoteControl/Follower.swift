import ClientWire

/// Follows a session, over breaks of the connection and restarts of the server.
@MainActor final class Follower {
    private var feed: SessionFeed
    private let remote: Remote
    private let clock = ContinuousClock()
    private let beginning: ContinuousClock.Instant
    private var wasLive = false
    /// The person was told.
    private var isAway = false

    init(of session: String, query: String, on remote: Remote) {
        feed = SessionFeed(
            of: session, query: query, fields: remote.fields, seed: .random(in: .min ... .max))
        self.remote = remote
        beginning = clock.now
    }

    private var now: Duration { beginning.duration(to: clock.now) }

    /// Hands out what the server shows, until `take` has enough; throws where the session is lost, or refused.
    func run(_ take: @escaping @MainActor (SessionFeed.News) async throws -> Bool) async throws {
        while true {
            switch feed.next(at: now) {
            case .describe(let request)?, .post(let request)?:
                feed.describe(
                    await remote.answer(to: request, within: SessionFeed.patience), at: now)
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
        guard let deadline = feed.deadline, deadline > now else { return }
        try await clock.sleep(for: deadline - now)
    }

    private func leave(_ problem: MirrorProblem) throws {
        // A server that was never there is a mistake in the URL.
        let isPatient = problem.code != "not-connected" && now < remote.patience
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
        let answer: TransportAnswer
        do {
            answer = try await remote.transport.send(request)
            guard answer.status == 200 else { throw MirrorProblem(try await answer.whole()) }
        } catch {
            feed.end(MirrorProblem(error), at: now)
            return false
        }
        feed.open(at: now)
        var pieces = answer.body.makeAsyncIterator()
        while let bytes = await next(of: &pieces) {
            feed.read(bytes, at: now)
            while let news = feed.nextNews(at: now) {
                comeBack()
                do {
                    if try await take(news) { return true }
                } catch let problem as MirrorProblem where problem.reaction == .again {
                    // It is tried again once the server is back.
                    feed.end(problem, at: now)
                    return false
                }
            }
        }
        return false
    }

    private func next(
        of pieces: inout AsyncThrowingStream<[UInt8], any Error>.Iterator
    ) async -> [UInt8]? {
        do {
            if let bytes = try await pieces.next(isolation: #isolation) { return bytes }
            feed.end(nil, at: now)
        } catch {
            feed.end(MirrorProblem(error), at: now)
        }
        return nil
    }

    private func waitForSilence() async throws -> Bool {
        while let deadline = feed.deadline, deadline > now {
            try await clock.sleep(for: deadline - now)
        }
        return false
    }
}
