import Bytes
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `The rates of actions` {
    private static let types = ["added", "search/edited", "search/cleared"]
    private let session: SessionID
    private let other: SessionID

    init() throws {
        session = try #require(SessionID("one"))
        other = try #require(SessionID("other"))
    }

    private func rates(
        _ limits: RateLimit..., changing change: (inout SessionLimits) -> Void = { _ in }
    ) throws -> ActionRates {
        var operators = SessionLimits()
        change(&operators)
        return try #require(ActionRates(limits, of: Self.types, operators))
    }

    /// The seconds that a request has to wait, or 0 where it is taken.
    private func wait(
        _ rates: ActionRates, _ types: [Int], of client: UInt16 = 7, to session: SessionID? = nil,
        at second: Double
    ) -> Int {
        do throws(Refusal) {
            let now = Instant(nanoseconds: 1_000_000_017 + Int64(second * 1e9))
            try rates.admit(types, of: client, to: session ?? self.session, at: now)
            return 0
        } catch {
            return switch error {
            case .tooOften(_, let seconds): seconds
            case .malformed(.tooManyActions(limit: let limit)): -limit
            default: .min
            }
        }
    }

    @Test func `take so many at once, and then as many as there is room for again`() throws {
        let rates = try rates(.atMost(5, per: .seconds(10)))
        #expect((0..<7).map { _ in wait(rates, [0], at: 0) } == [0, 0, 0, 0, 0, 2, 2])
        #expect([0.5, 1.5, 2, 2, 4, 5].map { wait(rates, [1], at: $0) } == [2, 1, 0, 2, 0, 1])
        #expect((0..<7).map { _ in wait(rates, [2], at: 99) } == [0, 0, 0, 0, 0, 2, 2])
    }

    @Test func `take a batch as a whole or count nothing of it`() throws {
        let rates = try rates(
            .atMost(3, per: .seconds(3)), .atMost(2, per: .seconds(60), of: "added"))
        #expect(wait(rates, [0], at: 0) == 0)
        #expect(wait(rates, [0, 0], at: 0) == 30)
        #expect(wait(rates, [1, 2], at: 0) == 0)
        #expect(wait(rates, [0, 1], at: 0.5) == 2)
        #expect(wait(rates, [0, 1], at: 2) == 0)
        // There is never room for so many.
        #expect(wait(rates, [1, 1, 1, 1], at: 99) == -3)
        #expect(wait(rates, [0, 1, 0], at: 99) == 0)
    }

    @Test func `are of a type, of a group or of all, those that are not listed among them`() throws
    {
        let group = try rates(.atMost(1, per: .seconds(1), of: "search"))
        #expect([1, 2, 0, 0, -1, 9].map { wait(group, [$0], at: 0) } == [0, 1, 0, 0, 0, 0])
        let all = try rates(.atMost(1, per: .seconds(1)))
        #expect(wait(all, [-1], at: 0) == 0 && wait(all, [9], at: 0) == 1)
        #expect(wait(all, [], at: 0) == 0)
    }

    @Test func `are of a client in all sessions, or of a session for all clients`() throws {
        let rates = try rates(.atMost(1, per: .seconds(1), of: "added")) {
            $0.sessionActionsPerSecond = 3
        }
        #expect(wait(rates, [0], of: 1, at: 0) == 0 && wait(rates, [0], of: 2, at: 0) == 0)
        #expect(wait(rates, [0], of: 1, to: other, at: 0) == 1)
        #expect(wait(rates, [1], of: 3, at: 0) == 0 && wait(rates, [1], of: 4, at: 0) == 1)
        #expect(wait(rates, [1], of: 4, to: other, at: 0) == 0)
    }

    @Test func `have room for less after what is no action, and for none after too many`() throws {
        let rates = try rates(
            .atMost(3, per: .seconds(3)), .atMost(1, per: .seconds(9), from: .session))
        let now = Instant(nanoseconds: 1_000_000_017)
        let sender = RatedSender(7, rates, to: session, at: now)
        for _ in 0..<3 {
            #expect(throws: Never.self) { try sender.check() }
            sender.charge(.syntax(offset: 0, detail: ""))
        }
        #expect(throws: Refusal.self) { try sender.check() }
        // It is not what the session's other clients pay for, and never more than a period's.
        #expect(wait(rates, [0], of: 8, at: 0) == 0)
        for _ in 0..<9 { sender.charge(.tooManyActions(limit: 3)) }
        #expect(wait(rates, [0], to: other, at: 0.9) == 1)
        #expect(wait(rates, [0], to: other, at: 1.1) == 0)
    }

    @Test func `hold however many others come`() throws {
        let rates = try rates(.atMost(1, per: .seconds(9)))
        #expect(wait(rates, [0], of: 1, at: 0) == 0)
        for client in 2...5_000 { #expect(wait(rates, [0], of: UInt16(client), at: 8) == 0) }
        #expect(wait(rates, [0], of: 1, at: 8.5) == 1)
        #expect(wait(rates, [0], of: 1, at: 9.5) == 0)
        #expect(wait(rates, [0], of: 4_000, at: 9.5) == 8)
    }

    @Test func `hold for a session however many clients there are`() throws {
        let rates = try rates(
            .atMost(1, per: .seconds(99)), .atMost(2, per: .seconds(99)),
            .atMost(1, per: .seconds(99), of: "added", from: .session))
        #expect(wait(rates, [0], of: 1, at: 0) == 0)
        for client in 2...60_000 { _ = wait(rates, [1], of: UInt16(client), at: 1) }
        #expect(wait(rates, [0], of: 60_001, at: 1) == 98)
    }

    @Test(
        arguments: [
            (.atMost(0, per: .seconds(1)), "rate of 0 actions"),
            (.atMost(1, per: .zero), "1 ms to 24 h"),
            (.atMost(1, per: .seconds(86_401), of: "added"), "1 ms to 24 h"),
            (.atMost(1, per: .seconds(1), of: "sear"), #"the type "sear""#),
            (.newest(every: .seconds(1), of: "search"), #"the type "search""#),
        ] as [(RateLimit, String)])
    func `that mean nothing are told`(limit: RateLimit, part: String) {
        #expect(limit.fault(among: Self.types)?.contains(part) == true)
    }

    @Test func `stand where there are any`() {
        #expect(ActionRates([], of: Self.types, SessionLimits()) == nil)
        let newest = RateLimit.newest(every: .seconds(1), of: "search/edited")
        #expect(newest.fault(among: Self.types) == nil)
        #expect(ActionRates([newest], of: Self.types, SessionLimits()) != nil)
    }
}
