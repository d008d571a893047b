import Testing

@testable import Redux

/// One row: the interceptors' verdicts on numbers, and the end of a number's way.
private struct Way: Sendable, CustomTestStringConvertible {
    var name: String
    var judges: [@Sendable (Int) -> Verdict<Int>]
    var end: String

    var testDescription: String { name }

    static let pass: @Sendable (Int) -> Verdict<Int> = { _ in .pass }
    static let add: @Sendable (Int) -> Verdict<Int> = { .replace($0 + 1) }
    static let double: @Sendable (Int) -> Verdict<Int> = { .expand([$0, $0 * 10]) }
    static let no = Rejection("no", "No.")

    static let all = [
        Way(name: "no interceptors", judges: [], end: "[1]"),
        Way(name: "passes", judges: [pass, pass], end: "[1]"),
        Way(name: "replaces, each the other's", judges: [add, add], end: "[3]"),
        Way(name: "drops, and asks no further", judges: [{ _ in .drop }, add], end: "dropped"),
        Way(name: "rejects", judges: [add, { _ in .reject(no) }], end: "rejected no"),
        Way(
            name: "delays", judges: [{ _ in .delay(.seconds(1), key: nil) }, add],
            end: "delayed 1.0 seconds"),
        Way(
            name: "passes once", judges: [{ _ in .passOnce(per: .seconds(1), key: "a") }],
            end: "[1]"),
        Way(name: "expands", judges: [double], end: "[1, 10]"),
        Way(
            name: "expands what was expanded", judges: [double, double],
            end: "[1, 10, 10, 100]"),
        Way(
            name: "asks behind an expansion about each", judges: [double, add],
            end: "[2, 11]"),
        Way(name: "expands to nothing", judges: [{ _ in .expand([]) }], end: "dropped"),
        Way(
            name: "drops one of several", judges: [double, { $0 == 1 ? .drop : .pass }],
            end: "[10]"),
        Way(
            name: "rejects all for one of several",
            judges: [double, { $0 == 10 ? .reject(no) : .pass }], end: "rejected no"),
        Way(
            name: "holds up no others by a delay",
            judges: [double, { $0 == 1 ? .delay(.seconds(1), key: nil) : .pass }],
            end: "[10]"),
        Way(
            name: "tells the longest delay where all of several are delayed",
            judges: [double, { .delay(.seconds($0), key: nil) }], end: "delayed 10.0 seconds"),
        Way(
            name: "is delayed where the others are dropped",
            judges: [double, { $0 == 1 ? .drop : .delay(.seconds(3), key: nil) }],
            end: "delayed 3.0 seconds"),
        Way(
            name: "rejects all also where the others are delayed",
            judges: [double, { $0 == 1 ? .delay(.seconds(1), key: nil) : .reject(no) }],
            end: "rejected no"),
        Way(
            name: "expands beyond the limit", judges: [double, double, double],
            end: "rejected too-many-queued"),
    ]
}

@Suite struct `The way through the interceptors` {
    private func store(
        _ judges: [@Sendable (Int) -> Verdict<Int>], _ limits: StoreLimits = StoreLimits(),
        deliver: (@Sendable (StoreDelivery<Int>) -> Void)? = { _ in }
    ) -> Store<[Int], Int> {
        Store(
            initial: [], reducer: { state, action, _ in state.append(action) },
            middleware: judges.map { judge in
                Middleware("judge", intercept: { action, _, _ in judge(action) })
            },
            environment: Environment(now: { Timestamp(milliseconds: 0) }), limits: limits,
            deliver: deliver)
    }

    @Test(arguments: Way.all)
    private func `ends as they judge`(way: Way) {
        var limits = StoreLimits()
        limits.queuedActions = 4
        let store = store(way.judges, limits)
        let end =
            switch store.dispatch(1) {
            case .accepted: "\(store.state)"
            case .dropped: "dropped"
            case .delayed(let duration): "delayed \(duration)"
            case .rejected(let rejection): "rejected \(rejection.code)"
            case .queued, .refused: "neither"
            }
        #expect(end == way.end)
        store.cancelAllEffects()
    }

    @Test func `ends with a delay where nothing can go on later, which is told`() {
        let store = store([{ _ in .delay(.seconds(1), key: "b") }], deliver: nil)
        var diagnostics: [StoreDiagnostic] = []
        store.onDiagnostic = { diagnostics.append($0) }
        #expect(store.dispatch(1) == .dropped)
        guard case .effectFailed("delay/b", _)? = diagnostics.first else {
            Issue.record("It is not told.")
            return
        }
    }
}

@Suite struct `The last one of each period of a throttle` {
    @Test func `has a number of its own, also in a later series`() throws {
        var throttles = Throttles()
        var time = Duration.zero
        func number(_ throttles: inout Throttles) throws -> UInt64? {
            let length = Duration.milliseconds(10)
            let wait = try throttles.admit("a", per: length, limit: 1, at: time)
            #expect(wait?.duration ?? length == length)
            return wait?.number
        }
        for round in 1...4 as ClosedRange<UInt64> {
            #expect(try number(&throttles) == nil)
            #expect(try number(&throttles) == round)
            throttles.conclude(isRefused: false)
            if round == 2 {
                throttles.removeAll()
            } else {
                time += .milliseconds(25)
            }
        }
    }

    @Test func `is remembered until that period, and the one which it begins, are over`() throws {
        var throttles = Throttles()
        for key in ["waiting", "waiting", "alone"] {
            _ = try throttles.admit(key, per: .milliseconds(10), limit: 9, at: .zero)
        }
        for (time, isEmpty) in [(9, false), (10, false), (19, false), (20, true)] {
            throttles.forget(at: .milliseconds(time))
            #expect(throttles.isEmpty == isEmpty, "\(time)")
        }
    }
}
