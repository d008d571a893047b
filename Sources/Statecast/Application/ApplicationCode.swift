public import Redux
public import Sessions
public import StateCoding

/// The code of an application that every POST runs, compiled for its types.
///
/// `Served.init` is inlined where the types are known, and so are these closures: generic code that
/// is reached through a protocol has to look every type up again, each time.
@usableFromInline
struct ApplicationCode<App: Application>: Sendable {
    /// Decides about the actions in a body, and hands what is accepted to the journal.
    @usableFromInline
    typealias Submit =
        @Sendable (
            _ body: Span<UInt8>, _ ledger: Ledger<App.State, App.Action>, _ by: Principal,
            _ time: Timestamp, _ batchLimit: Int, _ memory: ActionMemory,
            _ append: StagedBatch.Append
        ) throws(Refusal) -> Decision

    /// Appends a ledger's committed state.
    @usableFromInline
    typealias Encode =
        @Sendable (
            _ ledger: Ledger<App.State, App.Action>, _ output: inout [UInt8]
        ) throws(EncodingFailure) -> Void

    let coder: ActionCoder<App.Action>
    let reducer: Reducer<App.State, App.Action>
    let work: WorkSource<App.State, App.Action>
    let submit: Submit
    let encode: Encode

    /// Throws where the actions' types cannot be told apart on the wire.
    @inlinable
    init(_ application: App) throws(ActionCoderError) {
        let coder = try ActionCoder<App.Action>()
        let reducer: Reducer<App.State, App.Action> = { (state, action, step) throws(Rejection) in
            try application.reduce(&state, action, step)
        }
        let work = WorkSource<App.State, App.Action> { application.work(in: $0) }
        let submit: Submit = {
            (body, ledger, principal, time, batchLimit, memory, append) throws(Refusal) in
            if ActionCoder<App.Action>.isBatch(body) {
                let actions = try Self.readable { () throws(ActionFailure) in
                    try coder.decodeBatch(body, maximumCount: batchLimit, in: memory).map(\.action)
                }
                let outcome = ledger.submit(batch: actions, by: principal, at: time) { staged in
                    Self.hand(staged, coder, body, to: append)
                }
                return try Decision(outcome, at: ledger.headVersion)
            }
            let action = try Self.readable { () throws(ActionFailure) in
                try coder.decodeAction(body, in: memory)
            }
            let outcome = ledger.submit(action, by: principal, at: time) { staged in
                Self.hand(staged, coder, body, to: append)
            }
            return try Decision(outcome, at: ledger.headVersion)
        }
        let encoder = StateEncoder()
        self.init(coder, reducer, work, submit) {
            (ledger, output) throws(EncodingFailure) in
            try encoder.encode(ledger.state, into: &output)
        }
    }

    @usableFromInline
    init(
        _ coder: ActionCoder<App.Action>, _ reducer: @escaping Reducer<App.State, App.Action>,
        _ work: WorkSource<App.State, App.Action>, _ submit: @escaping Submit,
        _ encode: @escaping Encode
    ) {
        self.coder = coder
        self.reducer = reducer
        self.work = work
        self.submit = submit
        self.encode = encode
    }

    @inlinable @inline(__always)
    static func readable<Value>(
        _ read: () throws(ActionFailure) -> Value
    ) throws(Refusal) -> Value {
        do throws(ActionFailure) { return try read() } catch { throw .malformed(error) }
    }

    /// Hands staged entries over; their bytes are made only where the journal wants them.
    ///
    /// - Parameter body: the posted actions, whose `meta` goes into their entries.
    @inlinable @inline(__always)
    static func hand(
        _ staged: StagedEntries<App.State, App.Action>, _ coder: ActionCoder<App.Action>,
        _ body: Span<UInt8>, to append: StagedBatch.Append
    ) -> Keeping {
        append(
            StagedBatch(
                version: staged.version, count: staged.count, isCaused: staged.isCaused,
                outcomes: staged.outcomes)
        ) { (former, keepsSecrets) throws(EncodingFailure) in
            try Self.encode(
                staged, coder, metas: staged.isCaused ? [] : ActionMeta.list(in: body),
                after: former, keepsSecrets)
        }
    }

    @usableFromInline
    static func encode(
        _ staged: StagedEntries<App.State, App.Action>, _ coder: ActionCoder<App.Action>,
        metas: [[UInt8]?], after former: EncodedForm?, _ keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedBatch {
        // The posted action that an entry is the first of has its meta.
        var metaOfVersion: [UInt64: [UInt8]] = [:]
        let first = staged.version - UInt64(staged.count) + 1
        for (index, meta) in metas.enumerated() {
            guard let meta else { continue }
            if staged.outcomes.isEmpty {
                metaOfVersion[first] = meta
            } else if case .accepted(let version, _, _) = staged.outcomes[index] {
                metaOfVersion[version] = meta
            }
        }
        var entries: [Entry<[UInt8]>] = []
        for entry in staged.entries {
            entries.append(
                try entry.map { (action) throws(EncodingFailure) in
                    var bytes: [UInt8] = []
                    try coder.encode(action, meta: metaOfVersion[entry.version], into: &bytes)
                    return bytes
                })
        }
        guard staged.changed else { return EncodedBatch(entries, nil) }
        return EncodedBatch(
            entries,
            try StateEncoder().encode(staged.state, after: former, keepingSecrets: keepsSecrets))
    }
}
