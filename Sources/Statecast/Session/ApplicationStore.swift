import Sockets

/// An application's store and coders, for one session.
final class ApplicationStore<App: Application>: SessionStore {
    private let definition: ApplicationDefinition<App>
    private let session: SessionID
    private let store: Store<App.State, App.Input>
    private let submission: ApplicationCode<App>.Submit
    private let encoding: ApplicationCode<App>.Encode

    init(
        _ definition: ApplicationDefinition<App>, session: SessionID,
        checks: ReductionChecks<App.State>?,
        log: (@Sendable (String) -> Void)?,
        deliver: @escaping @Sendable (EffectDelivery<App.Input>) -> Void,
        diagnose: @escaping (StoreDiagnostic) -> Void
    ) {
        self.definition = definition
        self.session = session
        submission = definition.code.submit
        encoding = definition.code.encode
        let application = definition.application
        var middleware = application.allMiddleware(for: session)
        if let log { middleware.append(.logger(write: log)) }
        store = Store(
            initial: application.initialState, reducer: definition.code.reducer,
            middleware: middleware,
            environment: definition.environment, deliver: deliver)
        store.checks = checks
        store.onDiagnostic = diagnose
    }

    var version: UInt64 { store.version }
    var headVersion: UInt64 { store.headVersion }
    var lastChange: UInt64 { store.lastChange }
    var isIdle: Bool {
        store.isIdle && !store.hasFollowUps && store.headVersion == store.version
    }
    var runningEffects: [RunningEffect] { store.runningEffects }
    var knownTypes: [String] { definition.code.coder.knownTypes }

    func submit(
        _ body: Span<UInt8>, batchLimit: Int, commits: Bool, in memory: ActionMemory
    ) throws(ActionFailure) -> Submission {
        try submission(body, store, batchLimit, commits, memory)
    }

    /// Takes a report of an effect; true where an action waits to be staged.
    func accept(_ delivery: EffectDelivery<App.Input>) -> Bool {
        store.accept(delivery)
    }

    func stageFollowUps() -> Bool {
        var hasStaged = false
        while store.stageFollowUp() != nil { hasStaged = true }
        return hasStaged
    }

    func entries(
        after version: UInt64, at time: Timestamp
    ) throws(EncodingFailure) -> [[UInt8]] {
        var entries: [[UInt8]] = []
        for entry in store.uncommitted where entry.version > version {
            var action: [UInt8] = []
            switch entry.action {
            case .action(let value): try definition.code.coder.encode(value, into: &action)
            case .fact(let value): try definition.code.coder.encode(fact: value, into: &action)
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("version", entry.version)
            writer.member("at", time.milliseconds)
            writer.member("origin", entry.origin.rawValue)
            if let cause = entry.cause { writer.member("cause", cause) }
            writer.member("action", json: action.span)
            writer.endObject()
            entries.append(writer.bytes)
        }
        return entries
    }

    func commit(through version: UInt64) { store.commit(through: version) }
    func revert() { store.revert() }
    func cancelEffects() { store.cancelAllEffects() }

    func startEffects() {
        store.start(
            definition.application.effects(starting: store.state, in: session), staging: true)
    }

    func isSettled(_ root: UInt64) -> Bool { store.isSettled(root) }
    func onSettled(_ tell: @escaping (UInt64) -> Void) { store.onSettled = tell }

    func encodeState(
        into output: inout [UInt8], reusing memory: EncodingMemory?
    ) throws(EncodingFailure) {
        try encoding(store, &output, memory)
    }

    func hasView(_ name: String) -> Bool {
        definition.views[name] != nil
    }

    func encodeView(
        _ name: String, _ arguments: [String: String], into output: inout [UInt8]
    ) throws(EncodingFailure) -> Bool {
        guard let view = definition.views[name] else { return false }
        return try view.encode(store.state, arguments, &output)
    }
}
