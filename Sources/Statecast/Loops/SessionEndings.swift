import HTTPServer
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
    private struct Key: Hashable {
        let mount: String
        let id: SessionID
    }

    private let context: ServingContext
    private var endings: [Key: SessionEnding] = [:]

    init(context: ServingContext) {
        self.context = context
    }

    deinit {
        for ending in endings.values { ending.cancel() }
    }

    /// True where one more may begin.
    var hasRoom: Bool { endings.count < context.sessions.limits.forgettingCount }

    func contains(_ id: SessionID, mount: String) -> Bool {
        !endings.isEmpty && endings[Key(mount: mount, id: id)] != nil
    }

    /// Has an application forget what it keeps under an id, and then answers the one who waits,
    /// sooner where that takes too long.
    func begin(
        _ id: SessionID, of mount: any MountedApplication, telling waiter: SessionEnding.Waiter,
        on loop: isolated EventLoop
    ) {
        let task = Self.forget(id, mount, context.inbox)
        let ending = SessionEnding(task: task, waiter: waiter)
        endings[Key(mount: mount.name, id: id)] = ending
        ending.hold(for: context.sessions.limits.forgettingDuration, on: loop)
    }

    /// An application has forgotten an id.
    func finish(_ id: SessionID, mount: String, on loop: isolated EventLoop) {
        endings.removeValue(forKey: Key(mount: mount, id: id))?.answer(isForgotten: true, on: loop)
    }

    /// An application could not forget an id, and will be asked again.
    func fail(
        _ id: SessionID, mount: String, _ error: String, on loop: isolated EventLoop
    ) {
        context.diagnostics.write(
            .notForgotten, "The application could not forget an ended session: \(error)",
            of: "\(mount)/\(id)", at: loop.now)
    }

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(3600)

    private static func forget(
        _ id: SessionID, _ mount: any MountedApplication, _ inbox: LoopMailbox<SessionRegistry>
    ) -> Task<Void, Never> {
        let (name, environment) = (mount.name, mount.environment)
        return Task(executorPreference: environment.executor) {
            var pause = firstPause
            while true {
                do {
                    try await mount.forget(id)
                    return inbox.post { registry, loop in
                        registry.endings.finish(id, mount: name, on: loop)
                    }
                } catch {
                    guard !Task.isCancelled else { return }
                    let text = String("\(error)".prefix(1_000))
                    inbox.post { registry, loop in
                        registry.endings.fail(id, mount: name, text, on: loop)
                    }
                }
                do { try await environment.clock.sleep(for: pause) } catch { return }
                pause = min(pause * 2, longestPause)
            }
        }
    }
}
