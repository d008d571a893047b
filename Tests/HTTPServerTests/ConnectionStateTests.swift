@testable import HTTPServer
import Sockets
import Testing

@Suite struct ConnectionStateTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)
    private static let limits = HTTPLimits()

    private func state(
        _ phase: ConnectionState.Phase, _ flags: ConnectionState.Flags = []
    ) -> ConnectionState {
        var state = ConnectionState(now: Self.start)
        state.phase = phase
        state.flags = flags
        return state
    }

    private static let interests: [(ConnectionState.Phase, ConnectionState.Flags, Interest)] = [
        (.reading, [], .read), (.handling, [], .read), (.streaming, [], .peerClosed),
        (.lingering, [], .read), (.closed, [], []), (.reading, .isBlocked, [.read, .write]),
        (.streaming, .isBlocked, [.peerClosed, .write]), (.handling, .isFull, []),
        (.handling, .inputEnded, []), (.reading, .isLeaving, []), (.handling, .isLast, []),
        (.handling, [.isLast, .endsWithInput], .peerClosed),
        (.reading, [.isLast, .endsWithInput], []), (.handling, .endsWithInput, .read),
        (.lingering, .inputEnded, []), (.reading, [.isLast, .isBlocked], .write),
    ]

    @Test(arguments: interests)
    func `the loop is asked for what can be used`(
        phase: ConnectionState.Phase, flags: ConnectionState.Flags, interest: Interest
    ) {
        #expect(state(phase, flags).interest == interest)
    }

    private static let deadlines:
        [(ConnectionState.Phase, ConnectionState.Flags, Duration?, ConnectionState.Overdue?)] = [
            (.reading, [], limits.idleDuration, .idle),
            (.reading, .hasPartialHead, limits.headDuration, .slowRequest),
            (.reading, .hasPartialBody, limits.bodyDuration, .slowRequest),
            (.reading, .isBlocked, limits.writeProgressDuration, .slowReader),
            (.handling, .isBlocked, limits.writeProgressDuration, .slowReader),
            (.streaming, .isBlocked, limits.writeProgressDuration, .slowReader),
            (.lingering, [], limits.lingerDuration, .idle),
            (.handling, [], nil, nil), (.streaming, [], nil, nil), (.closed, .isBlocked, nil, nil),
        ]

    @Test(arguments: deadlines)
    func `each thing has its time, and not a moment less`(
        phase: ConnectionState.Phase, flags: ConnectionState.Flags, after: Duration?,
        overdue: ConnectionState.Overdue?
    ) {
        let state = state(phase, flags)
        let time = after ?? .seconds(1_000_000)
        let before = Self.start.advanced(by: time).advanced(byNanoseconds: -1)
        #expect(state.overdue(at: before, Self.limits) == nil)
        #expect(state.overdue(at: Self.start.advanced(by: time), Self.limits) == overdue)
    }

    @Test func `a head's time runs from its first byte, a body's from its last`() {
        var state = state(.reading)
        state.requestIsPartial(headIsComplete: false, at: Self.start)
        let later = Self.start.advanced(by: .seconds(15))
        state.activity = later
        state.requestIsPartial(headIsComplete: false, at: later)
        let end = Self.start.advanced(by: Self.limits.headDuration)
        #expect(state.overdue(at: end, Self.limits) == .slowRequest)
        state.requestIsPartial(headIsComplete: true, at: later)
        #expect(state.overdue(at: end, Self.limits) == nil)
        let bodyEnd = later.advanced(by: Self.limits.bodyDuration)
        #expect(state.overdue(at: bodyEnd, Self.limits) == .slowRequest)
    }

    @Test(
        arguments: [
            ([], false), (.isBlocked, true), (.awaitsRoom, true),
            ([.isBlocked, .awaitsRoom], true),
        ] as [(ConnectionState.Flags, Bool)])
    func `a source is told once that all is sent, where it had to wait or has asked`(
        flags: ConnectionState.Flags, isTold: Bool
    ) {
        var state = state(.streaming, flags)
        let answers = [state.outputDrained(), state.outputDrained()]
        #expect(answers == [isTold, false])
    }

    private static let ends: [(ConnectionState.Phase, ConnectionState.Flags, Bool)] = [
        (.reading, [], true), (.reading, .isBlocked, false), (.reading, .isPostponed, false),
        (.reading, .isDirty, false), (.handling, [.endsWithInput, .isDirty], false),
        (.handling, [], false), (.handling, .endsWithInput, true),
        (.handling, [.endsWithInput, .isBlocked], false), (.streaming, [], true),
        (.streaming, .isBlocked, true), (.lingering, [], true), (.closed, [], true),
    ]

    @Test(arguments: ends)
    func `a client that ends its side still gets what it waits for, and nothing else is kept`(
        phase: ConnectionState.Phase, flags: ConnectionState.Flags, isAbandoned: Bool
    ) {
        #expect(!state(phase, flags).isAbandoned)
        #expect(state(phase, flags.union(.inputEnded)).isAbandoned == isAbandoned)
    }

    @Test func `a request that is given up with its client's side says nothing of the next`() {
        var state = state(.handling, [.endsWithInput, .inputEnded])
        state.requestBegan(isHead: false, isHTTP10: false, isLast: false)
        #expect(!state.isAbandoned)
    }

    @Test(
        arguments: [
            ([], true), (.hasPartialHead, false), (.hasPartialBody, false), (.isBlocked, false),
            (.isLeaving, false), (.isPostponed, false), (.isDirty, false),
            (.isLast, true),
        ] as [(ConnectionState.Flags, Bool)])
    func `one that waits for nothing is idle`(flags: ConnectionState.Flags, isIdle: Bool) {
        #expect(state(.reading, flags).isIdle == isIdle)
        #expect(!state(.handling, flags).isIdle)
    }

    @Test func `what has waited is handed out once a turn`() {
        var state = state(.reading)
        #expect(state.mayResume(in: 0))
        state.resumed(in: 0)
        #expect(!state.mayResume(in: 0))
        #expect(state.mayResume(in: 1))
        state.resumed(in: .max)
        #expect(state.mayResume(in: .max &+ 1))
    }

    @Test func `a stream's age is told, an idle connection's ends it, a busy one's waits`() {
        var state = state(.streaming)
        state.expiry = Self.start.advanced(by: .seconds(5))
        #expect(state.overdue(at: state.expiry, Self.limits) == .streamAge)
        state.phase = .reading
        #expect(state.overdue(at: state.expiry, Self.limits) == .idle)
        state.phase = .handling
        #expect(state.overdue(at: state.expiry, Self.limits) == nil)
    }
}
