import HTTPServer
import Journaling
import Logging
import Redux
import Sessions
import Sockets
import StateCoding
import Threads

/// An application at its place in the server, without its types.
protocol MountedApplication: Sendable {
    /// The path, without a slash at its end: `/counter`, or nothing for the root.
    var name: String { get }

    /// The types of its actions and facts, by their numbers.
    var actionTypes: [String] { get }

    /// What clients get of it, and send.
    var schema: SchemaDocument { get }

    /// The clocks of its middleware and effects.
    var environment: Environment { get }

    /// The version of its states' JSON.
    var schemaVersion: Int { get }

    /// The bytes that a state takes itself, without those of arrays, texts and what else it refers to.
    var inlineByteCount: Int { get }

    /// The types of actions, and of groups of them, that a client does not carry out by itself.
    var unpredicted: [String] { get }

    /// How often clients may send its actions.
    var rates: [RateLimit] { get }

    /// The time after which a session in memory ends that nobody uses; nil: as for the others.
    var lifetime: Duration? { get }

    /// The entries of its sessions are kept in memory from their beginning on.
    var keepsEntries: Bool { get }

    /// It wants to be told who watches its sessions.
    var wantsSessionFacts: Bool { get }

    /// Throws where the application cannot play a recording.
    ///
    /// - Parameter isReduced: its actions are reduced again, also those of an earlier schema.
    func admit(_ recording: ReplayedRecording, isReduced: Bool) throws(ProblemDetails)

    /// The recording of what the application makes of a recording's actions now.
    ///
    /// - Parameter reducing: where it is noted what is reduced.
    func reduceAgain(
        _ recording: ReplayedRecording, until deadline: Instant, _ limits: SessionLimits,
        _ reducing: CrashPage.LastActions?
    ) throws(RecordingFault) -> ReplayedRecording

    /// What the application now makes otherwise of a recording's actions: see `WhatIf`.
    func firstDifference(
        in recording: ReplayedRecording, by expression: String?
    ) throws(RecordingFault) -> (difference: RecordingDifference?, uncompared: [UInt64])

    /// The store of a session that plays a recording which was admitted, or shows what another server does.
    func makeReplay(of shown: any ShownStates) -> any ShowsState

    /// Deletes what the application keeps under the id of an ended session.
    func forget(_ id: SessionID) async throws

    /// Has the application begin a session, with this state, which asks for an alarm perhaps; throws
    /// where the input or the application refuse that.
    ///
    /// - Parameter epoch: the first part of the session's tokens.
    func start(
        _ id: SessionID, _ start: SessionStart, epoch: String
    ) throws(Refusal) -> (state: any StateValue, alarm: Timestamp?)

    /// Reads what a journal has kept, away from all loops. Throws where that is no state of this
    /// application, or the application refuses it.
    @concurrent
    func restore(_ document: StoredDocument) async throws(DecodingFailure) -> RestoredState

    /// The store of a session, at its beginning or at what a journal has kept of it. Throws where what
    /// is kept of its work cannot be read.
    func makeStore(
        _ id: SessionID, _ opened: OpenedSession, _ state: any StateValue,
        _ context: ServingContext
    ) throws(DecodingFailure) -> any TakesActions
}

/// A state that a journal has kept; `isFaithful`: as it is written today.
typealias RestoredState = (state: any StateValue, isFaithful: Bool)

extension StoredDocument {
    /// Secrets are left out of it.
    var isRedacted: Bool { Secret<Never>.isLeftOut(of: json) }
}

extension Secret where Value == Never {
    /// A secret is left out of a JSON, or the JSON reads as if one was.
    static func isLeftOut(of json: [UInt8]) -> Bool {
        let text = Array("\"\(redacted)\"".utf8)
        return json.indices.contains { json[$0] == text[0] && json[$0...].starts(with: text) }
    }
}

extension MountedApplication {
    /// A state that a journal has kept is one of the application's.
    func reads(_ document: StoredDocument) async -> Bool {
        await (try? restore(document)) != nil
    }
}

/// An application at its place: the parts that all its sessions share.
struct ApplicationDefinition<App: Application>: MountedApplication {
    let name: String
    let application: App
    let code: ApplicationCode<App>
    let views: Views<App.State>
    /// Around the reducer, in their order.
    let middleware: [Middleware<App.State, App.Action>]
    let options: SessionOptions<App.State, App.Action>
    /// The clocks that it was given; nil: the machine's.
    let givenEnvironment: Environment?
    /// The way to tell the application what becomes of its sessions; nil: it does not ask.
    let facts: SessionFactCoder<App.Action>?
    let schema: SchemaDocument

    var environment: Environment { givenEnvironment ?? .live }
    var actionTypes: [String] { code.coder.typeNames }
    var schemaVersion: Int { options.schema.version }
    var inlineByteCount: Int { MemoryLayout<App.State>.size }
    var unpredicted: [String] { options.unpredicted }
    var rates: [RateLimit] { options.rates }
    var lifetime: Duration? { options.lifetime }
    var keepsEntries: Bool { options.history == .always }
    var wantsSessionFacts: Bool { facts != nil }

    func forget(_ id: SessionID) async throws { try await options.forgetting?(id) }

    func start(
        _ id: SessionID, _ start: SessionStart, epoch: String
    ) throws(Refusal) -> (state: any StateValue, alarm: Timestamp?) {
        let step = Step.beginning(id, epoch: epoch, by: start.by, in: environment)
        var state = application.initialState
        let input = try start.input(as: App.Input.self)
        do throws(Rejection) {
            try application.start(&state, with: input, step)
        } catch {
            throw .rejected(error, index: nil)
        }
        return (state, code.work.wakingTime(in: state, of: id, at: step.at))
    }

    @concurrent
    func restore(_ document: StoredDocument) async throws(DecodingFailure) -> RestoredState {
        // A stack that is used up is to be seen: the threads of Swift's pool have no other for that.
        try NamedThread.withSignalStack { () throws(DecodingFailure) in try restored(document) }
    }

    private func restored(_ document: StoredDocument) throws(DecodingFailure) -> RestoredState {
        let state = try options.restore(document.json, from: document.schema)
        guard document.schema == schemaVersion else { return (state, false) }
        do {
            let form = try StateEncoder().form(of: state, after: nil, keepingSecrets: true)
            var today = PatchedDocument(form.bytes())
            if let secrets = form.secrets()?.value { try today.apply(secrets.operations.span) }
            return (state, today.bytes() == document.json)
        } catch {
            // The first entry tells what cannot be written.
            return (state, false)
        }
    }

    func makeStore(
        _ id: SessionID, _ opened: OpenedSession, _ state: any StateValue,
        _ context: ServingContext
    ) throws(DecodingFailure) -> any TakesActions {
        guard let state = state as? App.State else {
            preconditionFailure("A session has a state of its application.")
        }
        var rest = RestingPoint()
        if let document = opened.document {
            rest = RestingPoint(
                version: document.version, lastChange: document.lastChange,
                lastTime: document.lastTime)
            // The first list of works is told from those that began before.
            if !code.work.isEmpty(in: state) {
                rest.work = try KeptWork.records(of: opened.work, epoch: opened.epoch)
            }
        }
        return ApplicationStore(
            shared(on: context), session: id, epoch: opened.epoch, state, at: rest)
    }

    /// The parts that the stores of one loop share: made with the first of them.
    private func shared(on context: ServingContext) -> ApplicationContext<App> {
        let known = context.applications[name]?.context as? ApplicationContext<App>
        if let known { return known }
        let counts = ActionCounts(typeCount: actionTypes.count, context.shared.lifecycle.roles)
        let made = ApplicationContext(self, context.sessions, counts, on: context)
        context.applications[name] = (made, counts)
        return made
    }

    // MARK: Replays

    func admit(_ recording: ReplayedRecording, isReduced: Bool) throws(ProblemDetails) {
        let path = name.isEmpty ? "/" : name
        guard recording.application == path else {
            throw .foreignRecording(
                "The recording is of \(recording.application.prefix(200)), and not of \(path).")
        }
        guard !isReduced else { return }
        guard recording.schema == schemaVersion else {
            throw .foreignRecording(
                "The recording has states of version \(recording.schema), and the application has "
                    + "those of version \(schemaVersion).")
        }
        // A state that is shown as it is need not be read.
        guard views.state.code != nil else { return }
        do throws(EncodingFailure) {
            _ = try ReplayStore<App>.state(of: recording.state.bytes)
        } catch {
            throw .foreignRecording(error.detail)
        }
    }

    func reduceAgain(
        _ recording: ReplayedRecording, until deadline: Instant, _ limits: SessionLimits,
        _ reducing: CrashPage.LastActions?
    ) throws(RecordingFault) -> ReplayedRecording {
        let reducer = reducing?.noting(
            code.reducer, code.coder, of: "\(name)/sessions/\(recording.session ?? "")",
            as: "recording", hidesPayload: !options.hiding.isEmpty)
        // A stack that is used up is to be seen, as in `restore`.
        return try NamedThread.withSignalStack { () throws(RecordingFault) in
            var whatIf = try WhatIf(
                recording, of: application, options, code.coder, by: reducer,
                stateByteLimit: limits.stateByteCount, deadline: deadline)
            return try whatIf.recordingAnew(byteLimit: limits.recordingByteCount)
        }
    }

    func firstDifference(
        in recording: ReplayedRecording, by expression: String?
    ) throws(RecordingFault) -> (difference: RecordingDifference?, uncompared: [UInt64]) {
        var whatIf = try WhatIf(recording, of: application, options, code.coder)
        return try whatIf.firstDifference(by: expression)
    }

    func makeReplay(of shown: any ShownStates) -> any ShowsState {
        ReplayStore<App>(views, schema: schemaVersion, shown)
    }
}

/// The parts that the stores of one application on one loop share.
final class ApplicationContext<App: Application> {
    // Beside the definition, and before it: its place is known without a look at the types.
    let submit: ApplicationCode<App>.Submit
    /// The wall clock that the application was given; nil: the machine's.
    let now: (@Sendable () -> Timestamp)?
    let definition: ApplicationDefinition<App>
    let sessions: SessionContext
    let counts: ActionCounts
    /// Nil for a store without a server.
    private unowned let serving: ServingContext?
    /// Of the state that sessions begin with: what a session has in common with it is encoded once for all.
    /// Nil where it cannot be written, which the sessions tell.
    private(set) lazy var initialForm = try? StateEncoder().form(
        of: definition.application.initialState, after: nil,
        keepingSecrets: sessions.keepsEntries)

    init(
        _ definition: ApplicationDefinition<App>, _ sessions: SessionContext,
        _ counts: ActionCounts, on serving: ServingContext? = nil
    ) {
        submit = definition.code.submit
        now = definition.givenEnvironment?.now
        self.definition = definition
        self.sessions = sessions
        self.counts = counts
        self.serving = serving
    }

    /// A ledger that goes on from a state that was kept, or begins with one.
    func makeLedger(
        _ session: SessionID, epoch: String, incarnation: UInt64, _ state: App.State,
        at rest: RestingPoint
    ) -> Ledger<App.State, App.Action> {
        let (name, code, hiding) = (definition.name, definition.code, definition.options.hiding)
        var (middleware, environment) = (definition.middleware, definition.environment)
        if let serving {
            environment.surround = { [handles = serving.handles] in
                handles.used(in: CallingWork($0))
            }
            let logger = serving.logger
            if logger.logLevel <= .debug {
                let metadata: Logger.Metadata = ["session": "\(name)/\(session)"]
                middleware.append(
                    .logger(
                        redact: { hiding.isEmpty ? "\($0)" : code.coder.typeName(of: $0) },
                        hiding: hiding
                    ) { logger.debug("\($0)", metadata: metadata) })
            }
        }
        let reducer =
            serving?.reducing?.noting(
                code.reducer, code.coder, of: "\(name)/sessions/\(session)",
                hidesPayload: !hiding.isEmpty) ?? code.reducer
        let ledger = Ledger(
            initial: state, version: rest.version, lastChange: rest.lastChange,
            reducer: reducer, middleware: middleware,
            checks: serving?.shared.configuration.checksReducers ?? false
                ? ReductionChecks(hiding: hiding) : nil,
            environment: environment, session: session, epoch: epoch, lastTime: rest.lastTime,
            work: code.work, remembering: rest.work
        ) { [inbox = serving?.inbox] delivery in
            inbox?.post { registry, loop in
                guard let session = registry.session(name, session, incarnation),
                    let store = session.store as? ApplicationStore<App>
                else { return }
                store.accept(delivery)
                registry.afterEffects(of: session, on: loop)
            }
        }
        let consequences = ledger.consequences
        consequences.onDiagnostic = { [diagnostics = serving?.diagnostics] diagnostic in
            diagnostics?.write(diagnostic.line, of: "\(name)/\(session)", at: .read())
        }
        consequences.onSettled = { [unowned serving] _ in
            serving?.settled.append((name, session, incarnation))
            serving?.performer.hasDueAnswers = true
        }
        consequences.onCausedOutcome = { [counts] action, origin, principal, outcome in
            counts.count(
                code.coder.typeNumber(of: action), by: principal, origin, .init(outcome))
        }
        return ledger
    }
}

extension Environment {
    /// The machine's clocks.
    package static var live: Environment {
        Environment(now: { Timestamp(milliseconds: Instant.readWallClock()) })
    }
}
