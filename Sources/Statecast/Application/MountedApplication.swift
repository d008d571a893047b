import Journaling
import Logging
import Redux
import Sessions
import Sockets
import StateCoding

/// An application at its place in the server, without its types.
protocol MountedApplication: Sendable {
    /// The path, without a slash at its end: `/counter`, or nothing for the root.
    var name: String { get }

    /// The clocks of its middleware and effects.
    var environment: Environment { get }

    /// Deletes what the application keeps under the id of an ended session.
    func forget(_ id: SessionID) async throws

    /// The store of a session: at its beginning, or at what a journal has kept of it. Throws where
    /// that is no state of this application.
    func makeStore(
        _ id: SessionID, at kept: StoredDocument?, _ context: ServingContext
    ) throws(DecodingFailure) -> any SessionStore

    /// The state of a new session as JSON.
    func initialDocument() throws(EncodingFailure) -> [UInt8]
}

/// An application at its place.
struct Mount<App: Application>: MountedApplication {
    let name: String
    let definition: ApplicationDefinition<App>

    var environment: Environment { definition.environment }

    func forget(_ id: SessionID) async throws {
        try await definition.application.forget(id)
    }

    func makeStore(
        _ id: SessionID, at kept: StoredDocument?, _ context: ServingContext
    ) throws(DecodingFailure) -> any SessionStore {
        var state: ApplicationStore<App>.KeptState?
        if let kept {
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
            definition, session: id, incarnation: incarnation, at: state,
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
