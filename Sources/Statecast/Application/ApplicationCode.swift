/// What every POST runs of an application, compiled for its types.
///
/// `Served.init` is inlined where the types are known, and so are these closures: generic code that
/// is reached through a protocol has to look every type up again, each time.
@usableFromInline
struct ApplicationCode<App: Application>: Sendable {
    /// Decides about the actions in a body; see ``SessionStore``.
    @usableFromInline
    typealias Submit =
        @Sendable (
            _ body: Span<UInt8>, _ store: Store<App.State, App.Input>, _ batchLimit: Int,
            _ commits: Bool, _ memory: ActionMemory
        ) throws(ActionFailure) -> Submission

    /// Appends a store's committed state.
    @usableFromInline
    typealias Encode =
        @Sendable (
            _ store: Store<App.State, App.Input>, _ output: inout [UInt8],
            _ memory: EncodingMemory?
        ) throws(EncodingFailure) -> Void

    let coder: ActionCoder<App.Action, App.Fact>
    let reducer: Reducer<App.State, App.Input>
    let submit: Submit
    let encode: Encode

    /// Throws where the actions' types cannot be told apart on the wire.
    @inlinable
    init(_ application: App) throws(ActionCoderError) {
        let coder = try ActionCoder<App.Action, App.Fact>()
        let reducer = Reducer<App.State, App.Input> { (state, input) throws(Rejection) in
            switch input {
            case .action(let action): try application.reduce(&state, action: action)
            case .fact(let fact): try application.reduce(&state, fact: fact)
            }
        }
        let submit: Submit = { (body, store, batchLimit, commits, memory) throws(ActionFailure) in
            if ActionCoder<App.Action, App.Fact>.isBatch(body) {
                let envelopes = try coder.decodeBatch(body, maximumCount: batchLimit)
                let outcome = store.stage(batch: envelopes.map { .action($0.action) })
                if commits { store.commitAll() }
                return .batch(outcome)
            }
            let action = try coder.decodeAction(body, in: memory)
            return .single(commits ? store.dispatch(.action(action)) : store.stage(.action(action)))
        }
        let encoder = StateEncoder()
        self.init(coder, reducer, submit) { (store, output, memory) throws(EncodingFailure) in
            try encoder.encode(store.state, into: &output, reusing: memory)
        }
    }

    @usableFromInline
    init(
        _ coder: ActionCoder<App.Action, App.Fact>, _ reducer: Reducer<App.State, App.Input>,
        _ submit: @escaping Submit, _ encode: @escaping Encode
    ) {
        self.coder = coder
        self.reducer = reducer
        self.submit = submit
        self.encode = encode
    }
}

extension Store {
    /// Commits what is decided, and what follows from it.
    @usableFromInline
    func commitAll() {
        commit(through: headVersion)
        while stageFollowUp() != nil { commit(through: headVersion) }
    }
}
