import Journaling
import Logging
import Sessions
import Sockets

/// An application at its place.
struct Mount<App: Application>: MountedApplication {
    let name: String
    let definition: ApplicationDefinition<App>

    var actionTypes: [String] { definition.code.coder.typeNames }

    var environment: Environment { definition.environment }

    var schemaVersion: Int { definition.options.schema.version }

    var lifetime: Duration? { definition.options.lifetime }

    var keepsEntries: Bool { definition.options.history == .always }

    func forget(_ id: SessionID) async throws {
        try await definition.options.forgetting?(id)
    }

    func start(
        _ id: SessionID, _ start: SessionStart, epoch: String
    ) throws(StartRefusal) -> any StartedState {
        let step = Step.beginning(id, epoch: epoch, by: start.by, in: environment)
        return try StartedSession(definition.application, with: start.input, step)
    }

    func makeStore(
        _ id: SessionID, _ opened: OpenedSession, _ started: (any StartedState)?,
        _ context: ServingContext
    ) throws(DecodingFailure) -> any TakesActions {
        ApplicationStore(
            shared(on: context), session: id, epoch: opened.epoch,
            at: try state(of: opened, started))
    }

    /// The parts that the stores of one loop share: made with the first of them.
    private func shared(on context: ServingContext) -> ApplicationContext<App> {
        if let shared = context.applications[name] as? ApplicationContext<App> { return shared }
        let shared = ApplicationContext(
            definition, context.sessions, context.counts(ofMount: name))
        let (inbox, mount, logger) = (context.inbox, name, context.logger)
        shared.checksReducers = context.checksReducers
        shared.surround = { [handles = context.handles] in handles.used(in: CallingWork($0)) }
        if logger.logLevel <= .debug {
            shared.log = { text, id in
                logger.debug("\(text)", metadata: ["session": "\(mount)/\(id)"])
            }
        }
        shared.deliver = { delivery, id, incarnation in
            inbox.post { registry, loop in
                guard let session = registry.session(mount, id, incarnation),
                    let store = session.store as? ApplicationStore<App>
                else { return }
                store.accept(delivery)
                registry.afterEffects(of: session, on: loop)
            }
        }
        shared.diagnose = { [diagnostics = context.diagnostics] diagnostic, id in
            diagnostics.write(diagnostic, of: "\(mount)/\(id)", at: .read())
        }
        shared.noteSettled = { [unowned context] id, incarnation in
            context.settled.append((mount, id, incarnation))
        }
        context.applications[name] = shared
        return shared
    }

    private func state(
        of opened: OpenedSession, _ started: (any StartedState)?
    ) throws(DecodingFailure) -> ApplicationStore<App>.KeptState {
        if let kept = opened.document {
            return .init(
                state: try definition.options.restore(kept.json, from: kept.schema),
                version: kept.version, lastChange: kept.lastChange, lastTime: kept.lastTime)
        }
        guard let started = started as? StartedSession<App> else {
            preconditionFailure("A session that no journal has kept was started.")
        }
        return .init(state: started.state, version: 0, lastChange: 0, lastTime: nil)
    }
}
