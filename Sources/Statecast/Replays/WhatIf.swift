import Bytes
package import Journaling
package import Redux
package import Sessions
import HTTPServer
package import Sockets
package import StateCoding

/// A recording whose actions this build reduces again, each as the step that its entry tells: by whom, when,
/// with the ids and the chance of then.
///
/// What reached the reducer stands in the entries: interceptors are not asked again, and no work runs, for
/// what it has reported is an entry, too. A state that was set by hand is set again. Entries that were
/// decided together are reduced all or none.
package struct WhatIf<App: Application> {
    /// What this build makes of an entry, or of those that were decided together.
    package struct Outcome {
        package let entries: ArraySlice<EncodedEntry>
        /// What they change now (RFC 6902); nil: nothing.
        package fileprivate(set) var patch: [UInt8]?
        package fileprivate(set) var refusal: Refusal?
        /// They have read a secret, which the recording does not have.
        fileprivate(set) var readsSecrets = false
        /// The state before them.
        let former: EncodedForm
    }

    /// Why an entry changes nothing now.
    package struct Refusal {
        package let version: UInt64
        package let code: String
        package let detail: String
        /// The place in the entry, where the action cannot be read.
        var pointer: String?
    }

    let options: SessionOptions<App.State, App.Action>
    private let reducer: Reducer<App.State, App.Action>
    private let coder: ActionCoder<App.Action>
    let recording: ReplayedRecording
    private let session: SessionID
    private let stateByteLimit: Int
    /// The number of entries that were reduced.
    private(set) var count = 0
    /// The state of this build, and that of the recording.
    package private(set) var state: App.State
    private(set) var form: EncodedForm
    private var recorded: PatchedDocument
    /// The states of the recording are of this version of the schema.
    private var schema: Int
    /// The state may be another one than was recorded.
    private var hasParted = false
    private let deadline: Instant
    private let reads = SecretReads()

    /// Throws where this build cannot read the state that the recording begins with.
    ///
    /// - Parameters:
    ///   - reducer: the application's, with what stands around it; nil: that alone.
    ///   - session: the one that steps tell; nil: the recording's, or where that has none, `test`.
    ///   - deadline: what is not reduced until then is given up.
    package init(
        _ recording: ReplayedRecording, of application: App,
        _ options: SessionOptions<App.State, App.Action>, _ coder: ActionCoder<App.Action>,
        by reducer: Reducer<App.State, App.Action>? = nil, session: SessionID? = nil,
        stateByteLimit: Int = .max, deadline: Instant = .never
    ) throws(RecordingFault) {
        self.reducer = reducer ?? application.reduce
        (self.options, self.coder) = (options, coder)
        (self.recording, self.stateByteLimit) = (recording, stateByteLimit)
        self.session = session ?? recording.session.flatMap(SessionID.init) ?? .test
        self.deadline = deadline
        schema = recording.schema
        recorded = PatchedDocument(recording.state.bytes)
        do throws(DecodingFailure) {
            state = try reads.noting { [schema] () throws(DecodingFailure) in
                try options.restore(recording.state.bytes, from: schema)
            }
        } catch {
            throw RecordingFault(line: 1, pointer: "/state\(error.pointer)", detail: error.detail)
        }
        do throws(EncodingFailure) {
            form = try StateEncoder().form(of: state, after: nil)
        } catch {
            throw RecordingFault(line: 1, pointer: "/state\(error.pointer)", detail: error.detail)
        }
    }

    /// Reduces the next entry again, with those that were decided with it; nil behind the last one.
    package mutating func next() throws(RecordingFault) -> Outcome? {
        guard count < recording.entries.count else { return nil }
        let rest = recording.entries[count...]
        let entries = rest.prefix(through: rest.firstIndex(where: \.isLast) ?? rest.endIndex - 1)
        count = entries.endIndex
        do throws(PatchFailure) {
            if let patch = entries.last?.patch { try recorded.apply(patch.span) }
        } catch {
            preconditionFailure("All patches of a recording have fitted when it was read.")
        }
        var (outcome, next) = (Outcome(entries: entries, former: form), state)
        for entry in entries {
            guard !Task.isCancelled, Instant.read() < deadline else {
                throw RecordingFault(
                    line: recording.lines[entries.startIndex], pointer: "",
                    detail: "It takes too long to reduce, and was reduced no further.")
            }
            outcome.refusal = reads.noting { reduce(&next, entry) }
            outcome.readsSecrets = reads.take() || outcome.readsSecrets
            guard outcome.refusal == nil else {
                hasParted = true
                return outcome
            }
        }
        var fault = ("state-too-large", "The state would have more than \(stateByteLimit) bytes.")
        do throws(EncodingFailure) {
            let change = try StateEncoder().encode(next, after: form)
            if change.form.byteCount <= stateByteLimit {
                (state, form) = (next, change.form)
                outcome.patch = change.patch?.operations
                if outcome.patch != entries.last?.patch { hasParted = true }
                return outcome
            }
        } catch {
            fault = ("not-encodable", error.detail)
        }
        outcome.refusal = Refusal(
            version: entries.last?.version ?? 0, code: fault.0, detail: fault.1)
        return outcome
    }

    /// The recording of what this build makes of its actions; what is refused is an entry that has changed
    /// nothing, with its rejection.
    ///
    /// - Parameter byteLimit: the most bytes of its entries.
    package mutating func recordingAnew(
        byteLimit: Int
    ) throws(RecordingFault) -> ReplayedRecording {
        var made = recording
        (made.schema, made.state) = (options.schema.version, SharedBytes(form.bytes()))
        made.entries = []
        var byteCount = 0
        while let outcome = try next() {
            let line = recording.lines[made.entries.count]
            for var entry in outcome.entries {
                let refusal = outcome.refusal.flatMap { $0.version == entry.version ? $0 : nil }
                if let refusal, let pointer = refusal.pointer {
                    throw RecordingFault(
                        line: recording.lines[made.entries.count], pointer: pointer,
                        detail: refusal.detail)
                }
                entry.patch = entry.version == outcome.entries.last?.version ? outcome.patch : nil
                entry.head = Self.head(of: entry, refusal)
                byteCount += entry.byteCount
                made.entries.append(entry)
            }
            guard byteCount <= byteLimit else {
                throw RecordingFault(
                    line: line, pointer: "",
                    detail: "What comes of it has more than \(byteLimit) bytes.")
            }
        }
        made.end = SharedBytes(form.bytes())
        return made
    }

    /// The entry as it was but for what became of its action.
    private static func head(of entry: EncodedEntry, _ refusal: Refusal?) -> [UInt8] {
        JSONWriter.object { writer in
            for (name, value) in entry.readHead.members ?? [] where name != "rejection" {
                writer.member(name, json: value.json.span)
            }
            if let refusal {
                writer.object("rejection") { writer in
                    writer.member("code", refusal.code)
                    writer.member("detail", refusal.detail)
                }
            }
        }
    }

    private mutating func reduce(_ state: inout App.State, _ entry: EncodedEntry) -> Refusal? {
        let told = RecordedStep(entry, coder)
        do throws(RecordingFault) {
            if let action = try told.action.get() {
                let step = Step(
                    by: told.by, at: entry.at, version: entry.version, session: session,
                    epoch: recording.epoch(at: entry.version),
                    seed: told.seed ?? Seed(entry.version),
                    cause: told.cause)
                do throws(Rejection) {
                    try reducer(&state, action, step)
                } catch {
                    return Refusal(version: entry.version, code: error.code, detail: error.message)
                }
            } else if told.isMigration {
                // No entry tells to which version.
                let versions = (min(schema + 1, options.schema.version)...options.schema.version)
                schema =
                    versions.last { (try? readRecorded(asOf: $0)) != nil }
                    ?? options.schema.version
                state = try readRecorded()
            } else if !told.isLeftOut, entry.patch != nil || hasParted {
                state = try readRecorded()
                hasParted = false
            }
            return nil
        } catch {
            return Refusal(
                version: entry.version, code: "unreadable", detail: error.detail,
                pointer: error.pointer)
        }
    }

    /// The state of the recording, as this build reads it.
    ///
    /// - Parameter version: the version of its schema; nil: the present one's.
    func readRecorded(asOf version: Int? = nil) throws(RecordingFault) -> App.State {
        do throws(DecodingFailure) {
            return try reads.noting { () throws(DecodingFailure) in
                try options.restore(recorded.bytes(), from: version ?? schema)
            }
        } catch {
            throw RecordingFault(line: 0, pointer: "/patch", detail: error.detail)
        }
    }

    /// Goes on from a state of the recording.
    mutating func resume(_ state: App.State) {
        // What was read as JSON is written as JSON.
        guard let form = try? StateEncoder().form(of: state, after: form) else { return }
        (self.state, self.form) = (state, form)
    }
}

/// What an entry of a recording tells of its action.
package struct RecordedStep<Action: ActionGroup> {
    package let by: Principal?
    package let cause: UInt64?
    package let seed: Seed?
    /// Nil where the state was set by hand, or written anew; a failure where this build has no such action.
    package let action: Result<Action?, RecordingFault>
    let isMigration: Bool
    /// The action is null: as if it had not been.
    let isLeftOut: Bool

    package init(_ entry: EncodedEntry, _ coder: ActionCoder<Action>) {
        let head = entry.readHead
        cause = head["cause"]?.integer.flatMap { UInt64(exactly: $0) }
        seed = head["seed"]?.string.flatMap(Seed.init)
        isMigration = head["kind"]?.string == "migrated"
        let json = head["action"]?.json
        let isLeftOut = json == Array("null".utf8)
        self.isLeftOut = isLeftOut
        var sender = head["origin"]?.string == Origin.client.rawValue ? Principal.anonymous : nil
        action = Result { () throws(RecordingFault) in
            if let by = head["by"] { sender = try Self.principal(by.json) }
            guard let json, !isLeftOut else { return nil }
            do throws(ActionFailure) {
                return try coder.decodeLogged(json.span).action
            } catch {
                throw RecordingFault(
                    line: 0, pointer: "/action\(error.place)",
                    detail: ProblemDetails(error, known: coder.knownTypes).detail ?? "")
            }
        }
        by = sender
    }

    private static func principal(_ json: [UInt8]) throws(RecordingFault) -> Principal {
        do throws(DecodingFailure) {
            return try StateDecoder().decode(Principal.self, from: json)
        } catch {
            throw RecordingFault(line: 0, pointer: "/by\(error.pointer)", detail: error.detail)
        }
    }
}

extension EncodedEntry {
    /// The head of an entry of a recording.
    var readHead: JSONValue {
        do throws(DecodingFailure) {
            return try JSONValue(written: head.span)
        } catch {
            preconditionFailure("Who has read the recording has written its heads.")
        }
    }
}

extension ActionFailure {
    fileprivate var place: JSONPointer {
        switch self {
        case .badEnvelope(let place, _), .badPayload(let place, _), .unknownType(_, _, let place),
            .factNotAllowed(_, let place):
            place
        case .syntax, .tooDeep, .tooManyActions: JSONPointer()
        }
    }
}

extension SessionID {
    /// The name of a session where a test, or a recording, gives it none.
    package static var test: SessionID {
        guard let id = SessionID("test") else {
            preconditionFailure("Four letters are a session's name.")
        }
        return id
    }
}

extension Seed {
    /// 64 hexadecimal digits.
    fileprivate init?(_ text: String) {
        let digits = text.utf8.compactMap { Hexadecimal.value(of: $0) }
        guard digits.count == 64 else { return nil }
        self.init(bytes: (0..<32).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
    }
}
