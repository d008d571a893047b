import HTTPServer
import Journaling
import Redux
import Sessions
import Sockets

/// The ids that clients have ended and whose applications still forget what they keep under them,
/// on one loop.
///
/// As long as an id stands here it is ended, however long ago that was: a new session of the id
/// would find what is about to be deleted. An application that fails is asked again, with growing
/// pauses, until it succeeds or the server stops.
final class SessionEndings {
    /// Tells the one who waits, once, whether the application has forgotten the id, or will.
    typealias Continuation = (_ isForgotten: Bool) -> Void

    private struct Ending {
        let task: Task<Void, Never>
        let held: Held
        var told: Continuation?
    }

    private let context: ServingContext
    private var endings: [SessionName: Ending] = [:]

    init(context: ServingContext) {
        self.context = context
    }

    deinit {
        for ending in endings.values { ending.task.cancel() }
    }

    /// Throws where no more may begin.
    func checkRoom() throws(ProblemDetails) {
        guard endings.count < context.sessions.limits.forgettingCount else {
            throw .tooManyEndings
        }
    }

    func contains(_ id: SessionID, mount: String) -> Bool {
        !endings.isEmpty && endings[SessionName(mount: mount, id: id.description)] != nil
    }

    /// Has an application forget what it keeps under an id, and then tells the one who waits, sooner
    /// where that takes too long.
    ///
    /// - Parameters:
    ///   - lease: of the session that the journal erases before; nil where there is none.
    ///   - exchange: the client's who waits.
    func begin(
        _ id: SessionID, of mount: any MountedApplication, _ lease: Lease? = nil,
        for exchange: Exchange?, on loop: isolated EventLoop, _ told: @escaping Continuation
    ) throws(ProblemDetails) {
        try checkRoom()
        let name = SessionName(mount: mount.name, id: id.description)
        // The server waits for what is under way; the time that a request is held is bounded anyway.
        let held = Held(exchange, for: context.sessions.limits.forgettingDuration, on: loop) {
            [weak self] _, interruption in
            guard interruption != .draining else { return }
            let told = self?.endings[name]?.told.take()
            if interruption == .timeout { told?(false) }
        }
        endings[name] = Ending(
            task: Self.forget(id, name, mount, lease, context.sessions.journal, context.inbox),
            held: held, told: told)
    }

    private func finish(_ name: SessionName, on loop: isolated EventLoop) {
        guard let ending = endings.removeValue(forKey: name) else { return }
        ending.held.end(on: loop)
        ending.told?(true)
    }

    private func fail(_ name: SessionName, _ error: String, on loop: isolated EventLoop) {
        context.diagnostics.write(
            (
                "not-forgotten", .error,
                "The application could not forget an ended session: \(error)"
            ),
            of: "\(name.mount)/\(name.id)", at: loop.now)
    }

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(3600)

    /// A journal that was opened again meanwhile knows no lease of before: the session is opened once
    /// more, and is erased already where it is not there.
    private static func erase(
        _ name: SessionName, _ lease: Lease, in journal: any Journal
    ) async throws(JournalFailure) {
        do throws(JournalFailure) {
            do throws(JournalFailure) { return try await journal.erase(lease) } catch {
                guard error == .heldElsewhere else { throw error }
            }
            if let opened = try await journal.open(name, making: nil) {
                try await journal.erase(opened.lease)
            }
        } catch {
            guard error == .ended else { throw error }
        }
    }

    private static func forget(
        _ id: SessionID, _ name: SessionName, _ mount: any MountedApplication, _ lease: Lease?,
        _ journal: any Journal, _ inbox: LoopMailbox<SessionRegistry>
    ) -> Task<Void, Never> {
        let environment = mount.environment
        return Task(executorPreference: environment.executor) {
            var pause = firstPause
            var lease = lease
            while true {
                do {
                    if let kept = lease { try await erase(name, kept, in: journal) }
                    lease = nil
                    try await mount.forget(id)
                    return inbox.post { registry, loop in
                        registry.endings.finish(name, on: loop)
                    }
                } catch {
                    guard !Task.isCancelled else { return }
                    let text = String("\(error)".prefix(1_000))
                    inbox.post { registry, loop in
                        registry.endings.fail(name, text, on: loop)
                    }
                }
                do { try await environment.clock.sleep(for: pause) } catch { return }
                pause = min(pause * 2, longestPause)
            }
        }
    }
}
