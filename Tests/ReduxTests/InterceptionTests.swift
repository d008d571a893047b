import StatecastTesting
import Testing

@testable import Redux

/// One row: the interceptors' verdicts on numbers, and the end of a number's way.
private struct Way: Sendable, CustomTestStringConvertible {
    var name: String
    var judges: [@Sendable (Int) -> Verdict<Int>]
    var first = 0
    var end: String

    var testDescription: String { name }

    static let pass: @Sendable (Int) -> Verdict<Int> = { _ in .pass }
    static let add: @Sendable (Int) -> Verdict<Int> = { .replace($0 + 1) }
    static let double: @Sendable (Int) -> Verdict<Int> = { .expand([$0, $0 * 10]) }
    static let no = Rejection("no", "No.")

    static let all = [
        Way(name: "no interceptors", judges: [], end: "one 1"),
        Way(name: "passes", judges: [pass, pass], end: "one 1"),
        Way(name: "replaces, each the other's", judges: [add, add], end: "one 3"),
        Way(name: "drops, and asks no further", judges: [{ _ in .drop }, add], end: "dropped"),
        Way(name: "rejects", judges: [add, { _ in .reject(no) }], end: "rejected no"),
        Way(
            name: "delays", judges: [{ _ in .delay(.seconds(1), key: nil) }, add],
            end: "delayed 1.0 seconds"),
        Way(
            name: "passes once", judges: [{ _ in .passOnce(per: .seconds(1), key: "a") }],
            end: "one 1"),
        Way(name: "expands", judges: [double], end: "several [1, 10]"),
        Way(
            name: "expands what was expanded", judges: [double, double],
            end: "several [1, 10, 10, 100]"),
        Way(
            name: "asks behind an expansion about each", judges: [double, add],
            end: "several [2, 11]"),
        Way(name: "expands to nothing", judges: [{ _ in .expand([]) }], end: "dropped"),
        Way(
            name: "drops one of several", judges: [double, { $0 == 1 ? .drop : .pass }],
            end: "several [10]"),
        Way(
            name: "rejects all for one of several",
            judges: [double, { $0 == 10 ? .reject(no) : .pass }], end: "rejected no"),
        Way(
            name: "holds up no others by a delay",
            judges: [double, { $0 == 1 ? .delay(.seconds(1), key: nil) : .pass }],
            end: "several [10]"),
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
        Way(
            name: "goes on behind an interceptor", judges: [{ _ in .drop }, add], first: 1,
            end: "one 2"),
    ]
}

@Suite struct `The way through the interceptors` {
    @Test(arguments: Way.all)
    private func `ends as they judge`(way: Way) {
        var action = 1
        var several: [Int]?
        let result = InterceptionResult.lead(
            &action, orElse: &several, through: way.first..<way.judges.count, limit: 4
        ) { action, index in way.judges[index](action) }
        let end =
            switch result {
            case .one: "one \(action)"
            case .several: "several \(several ?? [])"
            case .dropped: "dropped"
            case .delayed(let duration): "delayed \(duration)"
            case .rejected(let rejection): "rejected \(rejection.code)"
            }
        #expect(end == way.end)
    }
}

@Suite struct `What is remembered of verdicts` {
    private let clock = ManualClock()
    private let cause = Cause(version: 4, origin: .client)

    private func rule(
        _ verdict: Verdict<Int>, _ interception: inout Interception<Int>, action: Int = 1,
        room: Int = .max
    ) -> Interception<Int>.Ruling {
        interception.rule(
            on: verdict, of: action, cause: cause,
            place: .init(index: 0, name: "judge", origin: .client), clock: clock,
            hasRoom: { _, others in others < room })
    }

    /// The time for which an action waits; nil for one that goes on at once.
    private func delay(_ ruling: Interception<Int>.Ruling) -> Duration? {
        if case .delay(let duration, _) = ruling.verdict { duration } else { nil }
    }

    private func code(_ ruling: Interception<Int>.Ruling) -> String? {
        if case .reject(let rejection) = ruling.verdict { rejection.code } else { nil }
    }

    private func interception(
        _ change: (inout StoreLimits) -> Void = { _ in }
    ) -> Interception<Int> {
        var limits = StoreLimits()
        change(&limits)
        return Interception(limits: limits)
    }

    @Test func `is a throttle that has the last one wait until its period has passed`() {
        var interception = interception()
        let once = Verdict<Int>.passOnce(per: .seconds(1), key: "a")
        #expect(delay(rule(once, &interception)) == nil)
        clock.advance(by: .milliseconds(400))
        #expect(delay(rule(once, &interception, action: 2)) == .milliseconds(600))
        #expect(delay(rule(once, &interception, action: 3)) == .milliseconds(600))
        #expect(delay(rule(.passOnce(per: .seconds(1), key: "b"), &interception)) == nil)
        let begun = interception.conclude(isRefused: false, waitsFor: nil)
        #expect(begun.map(\.action) == [3])
        #expect(begun.map(\.name) == ["throttle/1/a"])
        clock.advance(by: .milliseconds(600))
        // The one that has waited goes on now, and begins the next period.
        #expect(delay(rule(once, &interception, action: 4)) == .seconds(1))
        let next = interception.conclude(isRefused: false, waitsFor: nil)
        #expect(next.map(\.name) == ["throttle/2/a"])
        clock.advance(by: .seconds(2))
        #expect(delay(rule(once, &interception)) == nil)
    }

    @Test func `is no throttle of a decision that is refused or reverted`() {
        var interception = interception()
        let once = Verdict<Int>.passOnce(per: .seconds(1), key: "a")
        for _ in 0..<2 {
            #expect(delay(rule(once, &interception)) == nil)
            #expect(interception.conclude(isRefused: true, waitsFor: nil).isEmpty)
        }
        #expect(delay(rule(once, &interception)) == nil)
        _ = interception.conclude(isRefused: false, waitsFor: 5)
        interception.revert(to: 4)
        #expect(delay(rule(once, &interception)) == nil)
    }

    @Test func `is a number of its own for the last one of each period, also of a later series`() {
        var interception = interception()
        let once = Verdict<Int>.passOnce(per: .milliseconds(10), key: "a")
        var names: [String] = []
        for round in 1...4 {
            #expect(delay(rule(once, &interception, action: round)) == nil)
            #expect(delay(rule(once, &interception, action: -round)) == .milliseconds(10))
            names += interception.conclude(isRefused: false, waitsFor: nil).map(\.name)
            if round == 2 {
                interception.revert(to: 4)
            } else {
                clock.advance(by: .milliseconds(25))
            }
        }
        #expect(names == (1...4).map { "throttle/\($0)/a" })
    }

    @Test func `is nothing that waits where nothing can go on later`() {
        var interception = Interception<Int>(limits: StoreLimits(), canWait: false)
        let once = Verdict<Int>.passOnce(per: .seconds(1), key: "a")
        _ = rule(once, &interception)
        let last = rule(once, &interception)
        if case .drop = last.verdict {} else { Issue.record("\(last.verdict)") }
        #expect(last.diagnostic == nil)
        clock.advance(by: .seconds(1))
        if case .passOnce = rule(once, &interception).verdict {} else { Issue.record("dropped") }
        let delayed = rule(.delay(.seconds(1), key: "b"), &interception)
        if case .drop = delayed.verdict {} else { Issue.record("\(delayed.verdict)") }
        guard case .effectFailed("delay/b", _) = delayed.diagnostic else {
            Issue.record("It is not told.")
            return
        }
        #expect(interception.conclude(isRefused: false, waitsFor: nil).isEmpty)
    }

    @Test func `is no last one of a period where its decision is refused`() {
        var interception = interception()
        let once = Verdict<Int>.passOnce(per: .seconds(1), key: "a")
        _ = rule(once, &interception)
        _ = interception.conclude(isRefused: false, waitsFor: 5)
        #expect(delay(rule(once, &interception)) == .seconds(1))
        #expect(interception.conclude(isRefused: true, waitsFor: nil).isEmpty)
        clock.advance(by: .seconds(1))
        #expect(delay(rule(once, &interception)) == nil)
    }

    @Test func `is bounded in its kinds and its delays`() {
        var interception = interception {
            $0.rememberedThrottles = 1
            $0.runningEffects = 1
        }
        _ = rule(.passOnce(per: .seconds(1), key: "a"), &interception)
        #expect(
            code(rule(.passOnce(per: .seconds(1), key: "b"), &interception)) == "too-many-queued")
        #expect(code(rule(.delay(.seconds(1), key: "a"), &interception, room: 1)) == nil)
        #expect(code(rule(.delay(.seconds(1), key: "a"), &interception, room: 1)) == nil)
        let ruling = rule(.delay(.seconds(1), key: "b"), &interception, room: 1)
        #expect(code(ruling) == "too-many-effects")
        #expect(ruling.diagnostic == .effectsExhausted(name: "delay/b", limit: 1))
    }

    @Test func `is a delay that begins at once where its decision has no entry`() {
        var interception = interception()
        for action in 1...3 {
            _ = rule(.delay(.seconds(1), key: "a"), &interception, action: action)
        }
        let begun = interception.conclude(isRefused: false, waitsFor: nil)
        #expect(begun.map(\.action) == [3])
        #expect(begun.map(\.name) == ["delay/a"])
        #expect(begun.map(\.cause) == [cause])
        #expect(!interception.hasDelayed)
        #expect(interception.conclude(isRefused: false, waitsFor: nil).isEmpty)
    }

    @Test func `is a delay that begins with the commit of its decision, or never`() {
        var interception = interception()
        for version: UInt64 in 5...7 {
            _ = rule(.delay(.seconds(1), key: nil), &interception, action: Int(version))
            #expect(interception.conclude(isRefused: false, waitsFor: version).isEmpty)
        }
        _ = rule(.delay(.seconds(1), key: nil), &interception)
        #expect(interception.conclude(isRefused: true, waitsFor: nil).isEmpty)
        interception.revert(to: 6)
        #expect(
            (5...8).map { interception.takeDelayed(by: $0).map(\.action) } == [[5], [6], [], []])
        #expect(!interception.hasDelayed)
    }
}
