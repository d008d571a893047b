import Journaling
import Logging
import Sessions
import Sockets

/// An application at its place.
struct Mount<App: Application>: MountedApplication {
    let name: String
    let definition: ApplicationDefinition<App>

    var environment: Environment { definition.environment }

    func forget(_ id: SessionID) async throws {
        try await definition.application.forget(id)
    }

    func makeStore(
        _ id: SessionID, _ opened: OpenedSession, _ context: ServingContext
    ) throws(DecodingFailure) -> any SessionStore {
        var state: ApplicationStore<App>.KeptState?
        if let kept = opened.document {
            state = .init(
                state: try StateDecoder().decode(App.State.self, from: kept.json),
                version: kept.version, lastChange: kept.lastChange)
        }
        let incarnation = context.sessions.makeIncarnation()
        let (inbox, mount, logger) = (context.inbox, name, context.logger)
        var log: (@Sendable (String) -> Void)?
        if logger.logLevel <= .debug {
            log = { text in
                logger.debug("\(text)", metadata: ["session": "\(mount)/\(id)"])
            }
        }
        let diagnostics = context.diagnostics
        return ApplicationStore(
            definition, session: id, epoch: opened.epoch, incarnation: incarnation, at: state,
            checks: context.checksReducers ? ReductionChecks() : nil, log: log,
            deliver: { delivery in
                inbox.post { registry, loop in
                    guard let session = registry.session(mount, id, incarnation),
                        let store = session.store as? ApplicationStore<App>
                    else { return }
                    store.accept(delivery)
                    registry.afterEffects(of: session, on: loop)
                }
            },
            diagnose: { diagnostic in
                diagnostics.write(diagnostic, of: "\(mount)/\(id)", at: .read())
            })
    }

    func initialDocument() throws(EncodingFailure) -> [UInt8] {
        var output: [UInt8] = []
        try StateEncoder().encode(definition.application.initialState, into: &output)
        return output
    }
}
