@testable import HTTPServer
import Sockets
import Testing

/// What can happen to a connection: the words of the tables below.
private let events: [Substring: @Sendable (inout ConnectionMachine) -> Void] = [
    "request": { _ = $0.requestBegan(RequestTraits(), isDraining: false) },
    "last-request": { _ = $0.requestBegan(RequestTraits(isLast: true), isDraining: false) },
    "head": { $0.requestCame(inPart: .head) },
    "body": { $0.requestCame(inPart: .body) },
    "more": { $0.requestsWait(isFull: false) },
    "full": { $0.requestsWait(isFull: true) },
    "answer": { $0.answered() },
    "file": { $0.fileBegan() },
    "stream": { $0.streamBegan(until: start.advanced(by: .seconds(5))) },
    "frames": { $0.isUncoded = true },
    "exceeded": { $0.fate = .exhausted },
    "asks": { $0.tellsDrained = true },
    "finish": { $0.streamFinished() },
    "refuse": { $0.refused() },
    "refuse-body": { $0.bodyWasRefused() },
    "held": { _ = $0.heldForClient($0.serial) },
    "peer-ended": { _ = $0.peerEnded() },
    "blocked": { $0.flushed(.blocked, at: start) },
    "sent": { $0.flushed(.drained, at: start) },
    "failed": { $0.fate = .lost },
    "room": { $0.roomCame() },
    "join": { $0.isDirty = true },
    "turn-end": { $0.isDirty = false },
    "postpone": { machine in
        _ = machine.next(isQueued: false, isDraining: false, turn: 7)
        machine.requestsWait(isFull: false)
        _ = machine.next(isQueued: false, isDraining: false, turn: 7)
    },
    "move": { $0.chooseRoute(to: LoopDestination(loopIndex: 3, isStream: true), HTTPLimits()) },
    "linger": { $0.lingers(at: start) },
    "receive": { $0.received(1, at: start, HTTPLimits()) },
    "receive-limit": { $0.received(1 << 20, at: start, HTTPLimits()) },
    "close": { $0.closed() },
]

private let start = Instant(nanoseconds: 1_000_000_000)

@Suite struct ConnectionMachineTests {
    private static let limits = HTTPLimits()

    private func machine(_ course: String) -> ConnectionMachine {
        var machine = ConnectionMachine(now: start)
        for word in course.split(separator: " ") {
            guard let event = events[word] else { preconditionFailure("\(word) is no event.") }
            event(&machine)
        }
        return machine
    }

    // MARK: The diagram

    private static let phases: [(String, ConnectionPhase)] = [
        ("", .reading), ("head", .reading), ("request", .handling),
        ("request answer", .reading), ("last-request answer", .ending),
        ("request file", .sendingFile), ("request file answer", .reading),
        ("last-request file answer", .ending), ("request stream", .streaming),
        ("request stream finish", .ending), ("refuse", .ending),
        ("request refuse-body answer", .ending), ("refuse linger", .lingering),
        ("close", .closed), ("request close", .closed),
    ]

    @Test(arguments: phases)
    func `each event leads to the place that the diagram draws`(
        course: String, phase: ConnectionPhase
    ) {
        #expect(machine(course).phase == phase)
    }

    // MARK: Steps

    private static let steps: [(String, isQueued: Bool, isDraining: Bool, ConnectionStep)] = [
        // Nothing to do.
        ("", false, false, .wait), ("request", false, false, .wait),
        ("body", false, false, .wait), ("close", true, true, .wait),
        // The queue comes before all that follows it.
        ("request answer", true, false, .flush),
        ("last-request answer", true, false, .flush),
        ("move", true, false, .flush), ("", true, true, .flush),
        ("request file", true, false, .flush), ("request file", false, false, .sendFile),
        // Without room, nothing is sent, and with it, everything.
        ("blocked", true, false, .wait), ("blocked room", true, false, .flush),
        ("room", false, false, .wait), ("blocked room blocked", true, false, .wait),
        ("request file blocked", false, false, .wait),
        ("request file blocked room", false, false, .sendFile),
        // Frames are compressed when there is room for them, before what is queued is sent.
        ("request stream frames", true, false, .encode),
        ("request stream frames blocked", true, false, .wait),
        (
            "request stream frames blocked room", true, false,
            .encode
        ),
        // The end of a last answer.
        ("last-request answer", false, false, .close), ("refuse", false, false, .linger),
        ("refuse peer-ended", false, false, .close), ("refuse blocked", true, false, .wait),
        ("request refuse-body answer", false, false, .linger),
        ("last-request answer join", false, false, .close),
        // Another loop.
        ("move", false, false, .leave(for: 3)), ("more move", false, true, .leave(for: 3)),
        // Streams.
        ("request stream", false, false, .wait),
        ("request stream", false, true, .endStream(.draining)),
        ("request stream exceeded", true, false, .close),
        ("request stream exceeded finish join", true, false, .flush),
        ("request stream asks", true, false, .flush),
        ("request stream asks", false, false, .tellDrained),
        ("request stream blocked sent", false, false, .tellDrained),
        ("request stream finish", true, false, .tellClosed),
        ("request stream finish join", true, false, .flush),
        ("request stream finish join", false, false, .linger),
        ("peer-ended request stream", false, false, .close),
        ("peer-ended request stream", true, false, .flush),
        // Requests that have waited.
        ("more", false, false, .handOut), ("full", false, true, .handOut),
        ("more join", false, false, .wait), ("more blocked", true, false, .wait),
        ("request more", false, false, .wait),
        ("request more answer", false, false, .handOut),
        ("more postpone", false, false, .wait), ("more peer-ended", false, false, .handOut),
        // A server that drains, a client that has gone, a socket that fails.
        ("", false, true, .dismiss), ("head", false, true, .wait),
        ("request", false, true, .wait), ("peer-ended", false, false, .close),
        ("body peer-ended", false, false, .close),
        ("request peer-ended", false, false, .wait),
        ("request held peer-ended", false, false, .close),
        ("request held more peer-ended", false, false, .wait),
        ("request file peer-ended", false, false, .sendFile),
        ("failed", true, false, .close), ("request stream failed", true, true, .close),
        // A client that goes on sending after the last answer.
        ("refuse linger", false, false, .wait),
        ("refuse linger peer-ended", false, false, .close),
        ("refuse linger receive-limit", false, false, .wait),
        ("refuse linger receive-limit receive", false, false, .close),
    ]

    @Test(arguments: steps)
    func `the next step is the first that is due`(
        course: String, isQueued: Bool, isDraining: Bool, step: ConnectionStep
    ) {
        var machine = machine(course)
        #expect(machine.next(isQueued: isQueued, isDraining: isDraining, turn: 7) == step)
    }

    @Test func `requests that have waited are handed out once a turn`() {
        var machine = machine("more")
        #expect(machine.next(isQueued: false, isDraining: false, turn: .max - 1) == .handOut)
        machine.requestsWait(isFull: true)
        let steps = (0..<2).map { _ in
            machine.next(isQueued: false, isDraining: false, turn: .max - 1)
        }
        #expect(steps == [.postpone, .wait])
        machine.isPostponed = false
        #expect(machine.interest == [])
        #expect(machine.next(isQueued: false, isDraining: false, turn: .max) == .handOut)
        #expect(machine.interest == .read)
        machine.requestsWait(isFull: false)
        #expect(machine.next(isQueued: false, isDraining: false, turn: 0) == .handOut)
    }

    @Test(
        arguments: [
            ("", false), ("blocked sent", true), ("asks", true),
            ("blocked asks sent", true),
        ] as [(String, Bool)])
    func `a source is told once that all is sent, where it had to wait or has asked`(
        course: String, isTold: Bool
    ) {
        var machine = machine("request stream " + course)
        let steps = (0..<2).map { _ in machine.next(isQueued: false, isDraining: false, turn: 0) }
        #expect(steps == [isTold ? .tellDrained : .wait, .wait])
    }

    /// Whatever has happened to it in three events.
    @Test(arguments: ["request stream", "request answer"])
    func `what was only sent something has nothing to do at the end of the turn`(
        first: String
    ) {
        let all =
            ", join, asks, frames, exceeded, peer-ended, blocked, room, sent, failed, turn-end, more"
            .split(separator: ",", omittingEmptySubsequences: false)
        var count = 0
        for course in all.flatMap({ a in all.flatMap { b in all.map { a + b + $0 } } }) {
            var machine = machine(first)
            _ = machine.takeInterest()
            for word in course.split(separator: " ") { events[word]?(&machine) }
            guard machine.hasOnlySent else { continue }
            count += 1
            machine.isDirty = false
            #expect(machine.next(isQueued: false, isDraining: false, turn: 7) == .wait)
            #expect(machine.takeInterest() == nil)
        }
        #expect(count > 0)
        #expect(!machine(first + " join").hasOnlySent, "the loop is to be told")
    }

    @Test func `a source is told once, at the end of the turn, that its stream is over`() {
        var machine = machine("request stream finish join")
        #expect(machine.next(isQueued: true, isDraining: false, turn: 0) == .flush)
        machine.isDirty = false
        let steps = (0..<2).map { _ in machine.next(isQueued: false, isDraining: false, turn: 0) }
        #expect(steps == [.tellClosed, .linger])
    }

    private static let drains: [(String, ConnectionStep)] = [
        ("", .dismiss), ("head", .wait), ("request", .tellDraining),
        ("request stream", .endStream(.draining)), ("request file", .wait),
        ("refuse", .wait), ("refuse linger", .wait), ("close", .wait),
    ]

    @Test(arguments: drains)
    func `a server that drains ends what waits for nothing, and tells the rest`(
        course: String, step: ConnectionStep
    ) {
        #expect(machine(course).drained() == step)
    }

    @Test func `an answer of a server that drains is the last one`() {
        var machine = machine("request")
        let isBegun = machine.beginAnswer(to: 1, isDraining: true)
        #expect(isBegun)
        #expect(machine.request.isLast)
        machine.answered()
        #expect(machine.phase == .ending)
        var second = ConnectionMachine(now: start)
        _ = second.requestBegan(RequestTraits(), isDraining: true)
        #expect(second.request.isLast)
    }

    @Test func `a connection that has reached its age ends with the next answer`() {
        var machine = ConnectionMachine(
            now: start, expiry: start.advanced(by: .seconds(1)))
        machine.received(1, at: start.advanced(by: .milliseconds(999)), Self.limits)
        #expect(machine.requestBegan(RequestTraits(), isDraining: false) == 1)
        #expect(!machine.request.isLast)
        machine.answered()
        machine.received(1, at: start.advanced(by: .seconds(1)), Self.limits)
        #expect(machine.requestBegan(RequestTraits(), isDraining: false) == 2)
        #expect(machine.request.isLast)
    }

    @Test func `an answer finds the request it is for`() {
        var machine = machine("request answer request")
        #expect(!machine.awaitsAnswer(1))
        #expect(machine.awaitsAnswer(2))
        machine.fileBegan()
        #expect(!machine.awaitsAnswer(2))
        let streaming = self.machine("request stream")
        #expect(streaming.isStreaming)
        #expect(!streaming.awaitsAnswer(1))
    }

    // MARK: Other loops

    /// Requests to these loops, nil for one that is answered here, and whether the connection moves
    /// with the last of them.
    private static let routes: [([Int?], limit: Int, leaves: Bool)] = [
        ([1, 1], 2, false), ([1, 1, 1], 2, true), ([1, 2, 1, 2], 2, false),
        ([1, 1, nil, 1], 2, false), ([1], 0, true),
        // No number of requests is too large to be counted.
        (Array(repeating: 1, count: 255), .max, false),
        (Array(repeating: 1, count: 256), .max, true),
    ]

    @Test(arguments: routes)
    func `a client that keeps asking for one other loop moves there`(
        loops: [Int?], limit: Int, leaves: Bool
    ) {
        var limits = HTTPLimits()
        limits.forwardsBeforeHandover = limit
        var machine = machine("")
        for index in loops {
            #expect(machine.fate == .stays)
            machine.chooseRoute(to: index.map { LoopDestination(loopIndex: $0) }, limits)
        }
        #expect((machine.fate == .leaves) == leaves)
    }

    @Test func `a stream moves at once`() {
        var machine = machine("")
        machine.chooseRoute(to: LoopDestination(loopIndex: 65_535, isStream: true), Self.limits)
        let step = machine.next(isQueued: false, isDraining: false, turn: 7)
        #expect(step == .leave(for: 65_535))
    }

    // MARK: Interest

    private static let interests: [(String, Readiness)] = [
        ("", .read), ("request", .read), ("request stream", .peerClosed),
        ("refuse linger", .read), ("close", []), ("blocked", [.read, .write]),
        ("request stream blocked", [.peerClosed, .write]), ("request full", []),
        ("request more", .read), ("request peer-ended", []), ("move", []),
        ("last-request", []), ("last-request held", .peerClosed),
        ("last-request held answer", []), ("request held", .read),
        ("last-request held peer-ended", []), ("refuse linger peer-ended", []),
        ("refuse blocked", .write), ("request file blocked", [.read, .write]),
    ]

    @Test(arguments: interests)
    func `the loop is asked for what can be used`(
        course: String, interest: Readiness
    ) {
        #expect(machine(course).interest == interest)
    }

    @Test func `the loop is asked again only where that has changed`() {
        var machine = machine("")
        #expect(machine.takeInterest() == .read)
        #expect(machine.takeInterest() == nil)
        machine.flushed(.blocked, at: start)
        #expect(machine.takeInterest() == [.read, .write])
        #expect(machine.takeInterest() == nil)
        machine.flushed(.drained, at: start)
        #expect(machine.takeInterest() == .read)
        machine.closed()
        #expect(machine.takeInterest() == [])
    }

    // MARK: What is asked

    private static let ends: [(String, Bool)] = [
        ("", true), ("blocked", false), ("more postpone", false), ("join", false),
        ("request held join", false), ("request", false), ("request held", true),
        ("request held blocked", false), ("request stream", true),
        ("request stream blocked", true), ("refuse linger", true),
        ("request held answer request", false), ("request file", false),
    ]

    @Test(arguments: ends)
    func `a client that ends its side still gets what it waits for, and no more`(
        course: String, isAbandoned: Bool
    ) {
        var machine = machine(course)
        #expect(!machine.isAbandoned)
        #expect(machine.peerEnded() == (isAbandoned ? .close : .wait))
        #expect(machine.isAbandoned == isAbandoned)
    }

    @Test(
        arguments: [
            ("", true), ("head", false), ("body", false), ("blocked", false),
            ("move", false), ("more postpone", false), ("join", false), ("more", false),
            ("join turn-end", true), ("request", false),
        ] as [(String, Bool)])
    func `one that waits for nothing is idle`(course: String, isIdle: Bool) {
        #expect(machine(course).isIdle == isIdle)
    }

    @Test(
        arguments: [
            ("", true), ("request answer", true),
            ("request held answer", true), ("last-request answer", false),
            ("head", false), ("more", false), ("peer-ended", false), ("blocked", false),
            ("join", false), ("move", false), ("request", false),
        ] as [(String, Bool)])
    func `an answer is kept for others where only a request can follow`(
        course: String, isAtRest: Bool
    ) {
        let machine = machine(course)
        #expect((machine.isIdle && !machine.hasEnded) == isAtRest)
    }

    // MARK: Time

    private static let deadlines: [(String, Duration?, ConnectionStep?)] = [
        ("", limits.idleDuration, .dismiss),
        ("head", limits.headDuration, .refuseSlowRequest),
        ("body", limits.bodyDuration, .refuseSlowRequest),
        ("blocked", limits.writeProgressDuration, .close),
        ("request blocked", limits.writeProgressDuration, .close),
        ("request file blocked", limits.writeProgressDuration, .close),
        ("request stream", .seconds(5), .endStream(.age)),
        ("refuse blocked", limits.writeProgressDuration, .close),
        ("refuse linger", limits.lingerDuration, .close), ("request", nil, nil),
        ("blocked close", nil, nil), ("join", nil, nil),
    ]

    @Test(arguments: deadlines)
    func `each thing has its time, and not a moment less`(
        course: String, after: Duration?, overdue: ConnectionStep?
    ) {
        let machine = machine(course)
        let time = after ?? .seconds(1_000_000)
        let before = start.advanced(by: time).advanced(byNanoseconds: -1)
        #expect(machine.overdue(at: before, Self.limits) == nil)
        #expect(machine.overdue(at: start.advanced(by: time), Self.limits) == overdue)
    }

    @Test func `a client that leaves too much unread is closed where memory is short`() {
        #expect(machine("").overdue(at: start, Self.limits, isFat: true) == nil)
        #expect(machine("blocked").overdue(at: start, Self.limits, isFat: true) == .close)
    }

    @Test func `a head's time runs from its first byte, a body's from its last`() {
        var machine = machine("head")
        let later = start.advanced(by: .seconds(15))
        machine.received(1, at: later, Self.limits)
        machine.requestCame(inPart: .head)
        let end = start.advanced(by: Self.limits.headDuration)
        #expect(machine.overdue(at: end, Self.limits) == .refuseSlowRequest)
        machine.requestCame(inPart: .body)
        #expect(machine.overdue(at: end, Self.limits) == nil)
        let bodyEnd = later.advanced(by: Self.limits.bodyDuration)
        #expect(machine.overdue(at: bodyEnd, Self.limits) == .refuseSlowRequest)
    }

    @Test func `a part of a request keeps its time while it waits for room`() {
        var machine = machine("head blocked more sent")
        machine.received(1, at: start.advanced(by: .seconds(15)), Self.limits)
        machine.handsOut()
        machine.requestCame(inPart: .head)
        let end = start.advanced(by: Self.limits.headDuration)
        #expect(machine.overdue(at: end, Self.limits) == .refuseSlowRequest)
    }

    @Test func `a connection's age ends it while it is idle`() {
        let expiry = start.advanced(by: .seconds(5))
        var machine = ConnectionMachine(now: start, expiry: expiry)
        #expect(machine.overdue(at: expiry, Self.limits) == .dismiss)
        _ = machine.requestBegan(RequestTraits(), isDraining: false)
        #expect(machine.overdue(at: expiry, Self.limits) == nil)
    }

    // MARK: Size

    @Test func `a connection's parts stay small`() {
        #expect(MemoryLayout<ConnectionMachine>.size <= 80)
        #expect(MemoryLayout<Awaited>.size == 16)
    }
}
