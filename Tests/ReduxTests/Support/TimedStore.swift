import Redux

/// A store on an actor and a clock that stands still, for what middleware does with time.
actor TimedStore {
    enum Action: Sendable, Equatable {
        case typed(String)
        case liked(Int)
        case refused
    }

    typealias Stored = Store<[String], Action>

    nonisolated let clock = SteppedClock()
    private let (deliveries, continuation) = AsyncStream.makeStream(
        of: EffectDelivery<Action>.self)
    private var store: Stored?

    init(_ middleware: [Middleware<[String], Action>], limits: StoreLimits = StoreLimits()) async {
        let continuation = continuation
        store = Store(
            initial: [],
            reducer: Reducer { (state, action) throws(Rejection) in
                switch action {
                case .typed(let text): state.append(text)
                case .liked(let id): state.append("liked \(id)")
                case .refused: throw Rejection(code: "refused", message: "No.")
                }
            },
            middleware: middleware,
            environment: Environment(clock: clock, now: { Timestamp(milliseconds: 0) }),
            limits: limits, deliver: { continuation.yield($0) })
    }

    var state: [String] { store?.state ?? [] }
    var running: [RunningEffect] { store?.runningEffects ?? [] }

    func dispatch(_ action: Action) -> Outcome { store?.dispatch(action) ?? .dropped }

    func dispatch(batch actions: [Action]) -> BatchOutcome {
        store?.dispatch(batch: actions) ?? .accepted([])
    }

    func use<Result: Sendable>(_ body: @Sendable (Stored) -> Result) -> Result? {
        store.map(body)
    }

    /// Moves the time once the effects that are under way sleep.
    func advance(by duration: Duration) async {
        while clock.sleeperCount < running.count(where: { !$0.isWaiting }) { await Task.yield() }
        clock.advance(by: duration)
    }

    /// Takes what effects report until none runs.
    func settle() async {
        var iterator = deliveries.makeAsyncIterator()
        while let store, !store.isIdle, let delivery = await iterator.next() {
            store.receive(delivery)
        }
    }
}
