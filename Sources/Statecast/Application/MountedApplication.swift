import Logging
import Sockets

/// An application at its place in the server, without its types.
protocol MountedApplication: Sendable {
    /// The path, without a slash at its end: `/counter`, or nothing for the root.
    var name: String { get }

    /// A new session.
    func makeSession(
        _ id: SessionID, hash: UInt64, context: SessionContext, now: Timestamp,
        at instant: Instant
    ) -> Session
}

/// An application at its place.
struct Mount<App: Application>: MountedApplication {
    let name: String
    let definition: ApplicationDefinition<App>

    func makeSession(
        _ id: SessionID, hash: UInt64, context: SessionContext, now: Timestamp,
        at instant: Instant
    ) -> Session {
        let inbox = context.inbox
        let mount = name
        let epoch = Token.randomEpoch()
        let logger = context.logger
        var log: (@Sendable (String) -> Void)?
        if logger.logLevel <= .debug {
            log = { text in
                logger.debug("\(text)", metadata: ["session": "\(mount)/\(id)"])
            }
        }
        let diagnostics = context.diagnostics
        let store = ApplicationStore(
            definition, session: id, checks: context.checksReducers ? ReductionChecks() : nil,
            log: log,
            deliver: { delivery in
                inbox.post { registry, loop in
                    guard let session = registry.session(mount, id, epoch: epoch),
                        let store = session.store as? ApplicationStore<App>
                    else { return }
                    _ = store.accept(delivery)
                    registry.afterEffects(of: session, on: loop)
                }
            },
            diagnose: { diagnostic in
                diagnostics.write(diagnostic, of: "\(mount)/\(id)", at: .read())
            })
        return Session(
            id: id, hash: hash, mount: mount, epoch: epoch, store: store, now: now, at: instant)
    }
}
