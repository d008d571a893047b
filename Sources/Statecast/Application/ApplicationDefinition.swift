import Redux
import Sessions
import Sockets

/// The parts that all sessions of one mounted application share.
struct ApplicationDefinition<App: Application>: Sendable {
    let application: App
    let code: ApplicationCode<App>
    let views: Views<App.State>
    /// Around the reducer, in their order.
    let middleware: [Middleware<App.State, App.Action>]
    let options: SessionOptions<App.State, App.Action>
    let environment: Environment
    /// The way to tell the application what becomes of its sessions; nil: it does not ask.
    let facts: SessionFactCoder<App.Action>?

    init(
        _ application: App, _ code: ApplicationCode<App>,
        _ middleware: [Middleware<App.State, App.Action>],
        _ options: SessionOptions<App.State, App.Action>,
        facts: SessionFactCoder<App.Action>?, environment: Environment
    ) {
        self.application = application
        self.environment = environment
        self.code = code
        self.options = options
        self.facts = facts
        self.middleware = middleware
        views = application.views
    }
}

/// The parts that the stores of one application on one loop share.
final class ApplicationContext<App: Application> {
    typealias Delivery = StoreDelivery<App.Action>

    let definition: ApplicationDefinition<App>
    let sessions: SessionContext
    let counts: ActionCounts
    /// Stores check their reducers.
    var checksReducers = false
    /// Makes what each try of work is given of the server's sessions.
    var surround: (@Sendable (WorkChain) -> any Sendable)?
    /// Called with each action, where somebody wants to read that.
    var log: (@Sendable (String, SessionID) -> Void)?
    /// Brings a report of work or an effect to the store of an incarnation, from any thread.
    var deliver: @Sendable (Delivery, SessionID, _ incarnation: UInt64) -> Void = { _, _, _ in }
    var diagnose: (StoreDiagnostic, SessionID) -> Void = { _, _ in }
    /// Told of a store of which the work has ended that a version has led to.
    var noteSettled: (SessionID, _ incarnation: UInt64) -> Void = { _, _ in }

    init(
        _ definition: ApplicationDefinition<App>, _ sessions: SessionContext, _ counts: ActionCounts
    ) {
        self.definition = definition
        self.sessions = sessions
        self.counts = counts
    }

    /// A ledger that goes on from a state that was kept, or begins with one.
    func makeLedger(
        _ session: SessionID, epoch: String, incarnation: UInt64,
        at kept: ApplicationStore<App>.KeptState
    ) -> Ledger<App.State, App.Action> {
        var (middleware, environment) = (definition.middleware, definition.environment)
        environment.surround = surround
        if let log { middleware.append(.logger { log($0, session) }) }
        let ledger = Ledger(
            initial: kept.state, version: kept.version, lastChange: kept.lastChange,
            reducer: definition.code.reducer, middleware: middleware,
            checks: checksReducers ? ReductionChecks() : nil, environment: environment,
            session: session, epoch: epoch, lastTime: kept.lastTime, work: definition.code.work,
            remembering: [], deliver: { [deliver] in deliver($0, session, incarnation) })
        let consequences = ledger.consequences
        consequences.onDiagnostic = { [diagnose] in diagnose($0, session) }
        consequences.onSettled = { [noteSettled] _ in noteSettled(session, incarnation) }
        let (counts, coder) = (counts, definition.code.coder)
        consequences.onCausedOutcome = { action, origin, principal, outcome in
            counts.count(coder.typeNumber(of: action), by: principal, origin, .init(outcome))
        }
        return ledger
    }
}
