@testable import HTTPServer
import Sockets
import Testing

extension RequestTraits {
    fileprivate static let last = RequestTraits(isLast: true)
}

/// What can happen to a connection: rows of the tables below.
private enum Event {
    /// A request is handed out.
    case request(RequestTraits = RequestTraits())
    case part(RequestPart)
    case more
    case full
    case answer
    case file
    case stream(isCompressed: Bool = false)
    case frames
    case exceeded
    case asks
    case finish
    case refuse
    case refuseBody
    case held
    case peerEnded
    case blocked
    case sent
    case failed
    case room
    case join
    case turnEnd
    case postpone
    case move
    case linger
    case receive(Int)
    case close

    func apply(to machine: inout ConnectionMachine, at now: Instant) {
        switch self {
        case .request(let traits): _ = machine.requestBegan(traits, isDraining: false)
        case .part(let part): machine.requestCame(inPart: part)
        case .more: machine.requestsWait(isFull: false)
        case .full: machine.requestsWait(isFull: true)
        case .answer: machine.answered()
        case .file: machine.fileBegan()
        case .stream(let isCompressed):
            machine.streamBegan(
                isCompressed: isCompressed, until: now.advanced(by: .seconds(5)))
        case .frames: machine.isUncoded = true
        case .exceeded: machine.fate = .exhausted
        case .asks: machine.tellsDrained = true
        case .finish: machine.streamFinished()
        case .refuse: machine.refused()
        case .refuseBody: machine.bodyWasRefused()
        case .held: _ = machine.heldForClient(machine.serial)
        case .peerEnded: _ = machine.peerEnded()
        case .blocked: machine.flushed(.blocked, at: now)
        case .sent: machine.flushed(.drained, at: now)
        case .failed: machine.fate = .lost
        case .room: machine.roomCame()
        case .join: machine.isDirty = true
        case .turnEnd: machine.isDirty = false
        case .postpone:
            _ = machine.next(isQueued: false, isDraining: false, turn: 7)
            machine.requestsWait(isFull: false)
            _ = machine.next(isQueued: false, isDraining: false, turn: 7)
        case .move:
            let destination = LoopDestination(loopIndex: 3, isStream: true)
            machine.chooseRoute(to: destination, HTTPLimits())
        case .linger: machine.lingers(at: now)
        case .receive(let count): machine.received(count, at: now, HTTPLimits())
        case .close: machine.closed()
        }
    }
}

@Suite struct ConnectionMachineTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)
    private static let limits = HTTPLimits()

    private func machine(_ events: [Event]) -> ConnectionMachine {
        var machine = ConnectionMachine(now: Self.start)
        for event in events { event.apply(to: &machine, at: Self.start) }
        return machine
    }

    // MARK: The diagram

    private static let phases: [([Event], ConnectionPhase)] = [
        ([], .reading), ([.part(.head)], .reading), ([.request()], .handling),
        ([.request(), .answer], .reading), ([.request(.last), .answer], .ending),
        ([.request(), .file], .sendingFile), ([.request(), .file, .answer], .reading),
        ([.request(.last), .file, .answer], .ending), ([.request(), .stream()], .streaming),
        ([.request(), .stream(), .finish], .ending), ([.refuse], .ending),
        ([.request(), .refuseBody, .answer], .ending), ([.refuse, .linger], .lingering),
        ([.close], .closed), ([.request(), .close], .closed),
    ]

    @Test(arguments: phases)
    fileprivate func `each event leads to the place that the diagram draws`(
        events: [Event], phase: ConnectionPhase
    ) {
        #expect(machine(events).phase == phase)
    }

    // MARK: Steps

    private static let steps: [([Event], isQueued: Bool, isDraining: Bool, ConnectionStep)] = [
        // Nothing to do.
        ([], false, false, .wait), ([.request()], false, false, .wait),
        ([.part(.body)], false, false, .wait), ([.close], true, true, .wait),
        // The queue comes before all that follows it.
        ([.request(), .answer], true, false, .flush),
        ([.request(.last), .answer], true, false, .flush),
        ([.move], true, false, .flush), ([], true, true, .flush),
        ([.request(), .file], true, false, .flush), ([.request(), .file], false, false, .sendFile),
        // Without room, nothing is sent, and with it, everything.
        ([.blocked], true, false, .wait), ([.blocked, .room], true, false, .flush),
        ([.room], false, false, .wait), ([.blocked, .room, .blocked], true, false, .wait),
        ([.request(), .file, .blocked], false, false, .wait),
        ([.request(), .file, .blocked, .room], false, false, .sendFile),
        // Frames are compressed when there is room for them, before what is queued is sent.
        ([.request(), .stream(isCompressed: true), .frames], true, false, .encode),
        ([.request(), .stream(isCompressed: true), .frames, .blocked], true, false, .wait),
        (
            [.request(), .stream(isCompressed: true), .frames, .blocked, .room], true, false,
            .encode
        ),
        // The end of a last answer.
        ([.request(.last), .answer], false, false, .close), ([.refuse], false, false, .linger),
        ([.refuse, .peerEnded], false, false, .close), ([.refuse, .blocked], true, false, .wait),
        ([.request(), .refuseBody, .answer], false, false, .linger),
        ([.request(.last), .answer, .join], false, false, .close),
        // Another loop.
        ([.move], false, false, .leave(for: 3)), ([.more, .move], false, true, .leave(for: 3)),
        // Streams.
        ([.request(), .stream()], false, false, .wait),
        ([.request(), .stream()], false, true, .endStream(.draining)),
        ([.request(), .stream(), .exceeded], true, false, .close),
        ([.request(), .stream(), .exceeded, .finish, .join], true, false, .flush),
        ([.request(), .stream(), .asks], true, false, .flush),
        ([.request(), .stream(), .asks], false, false, .tellDrained),
        ([.request(), .stream(), .blocked, .sent], false, false, .tellDrained),
        ([.request(), .stream(), .finish], true, false, .tellClosed),
        ([.request(), .stream(), .finish, .join], true, false, .flush),
        ([.request(), .stream(), .finish, .join], false, false, .linger),
        ([.peerEnded, .request(), .stream()], false, false, .close),
        ([.peerEnded, .request(), .stream()], true, false, .flush),
        // Requests that have waited.
        ([.more], false, false, .handOut), ([.full], false, true, .handOut),
        ([.more, .join], false, false, .wait), ([.more, .blocked], true, false, .wait),
        ([.request(), .more], false, false, .wait),
        ([.request(), .more, .answer], false, false, .handOut),
        ([.more, .postpone], false, false, .wait), ([.more, .peerEnded], false, false, .handOut),
        // A server that drains, a client that has gone, a socket that fails.
        ([], false, true, .close), ([.part(.head)], false, true, .wait),
        ([.request()], false, true, .wait), ([.peerEnded], false, false, .close),
        ([.part(.body), .peerEnded], false, false, .close),
        ([.request(), .peerEnded], false, false, .wait),
        ([.request(), .held, .peerEnded], false, false, .close),
        ([.request(), .held, .more, .peerEnded], false, false, .wait),
        ([.request(), .file, .peerEnded], false, false, .sendFile),
        ([.failed], true, false, .close), ([.request(), .stream(), .failed], true, true, .close),
        // A client that goes on sending after the last answer.
        ([.refuse, .linger], false, false, .wait),
        ([.refuse, .linger, .peerEnded], false, false, .close),
        ([.refuse, .linger, .receive(1 << 20)], false, false, .wait),
        ([.refuse, .linger, .receive(1 << 20), .receive(1)], false, false, .close),
    ]

    @Test(arguments: steps)
    fileprivate func `the next step is the first that is due`(
        events: [Event], isQueued: Bool, isDraining: Bool, step: ConnectionStep
    ) {
        var machine = machine(events)
        #expect(machine.next(isQueued: isQueued, isDraining: isDraining, turn: 7) == step)
    }

    @Test func `requests that have waited are handed out once a turn`() {
        var machine = machine([.more])
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
            ([], false), ([.blocked, .sent], true), ([.asks], true),
            ([.blocked, .asks, .sent], true),
        ] as [([Event], Bool)])
    fileprivate func `a source is told once that all is sent, where it had to wait or has asked`(
        events: [Event], isTold: Bool
    ) {
        var machine = machine([.request(), .stream()] + events)
        let steps = (0..<2).map { _ in machine.next(isQueued: false, isDraining: false, turn: 0) }
        #expect(steps == [isTold ? .tellDrained : .wait, .wait])
    }

    /// Whatever has happened to it in three events.
    @Test(arguments: [[.request(), .stream()], [.request(), .answer]] as [[Event]])
    fileprivate func `what was only sent something has nothing to do at the end of the turn`(
        start: [Event]
    ) {
        let all: [Event?] = [
            nil, .join, .asks, .frames, .exceeded, .peerEnded, .blocked, .room, .sent, .failed,
            .turnEnd, .more,
        ]
        var count = 0
        for first in all {
            for events in all.flatMap({ second in all.map { [first, second, $0] } }) {
                var machine = machine(start)
                _ = machine.takeInterest()
                for event in events { event?.apply(to: &machine, at: Self.start) }
                guard machine.hasOnlySent else { continue }
                count += 1
                machine.isDirty = false
                #expect(machine.next(isQueued: false, isDraining: false, turn: 7) == .wait)
                #expect(machine.takeInterest() == nil)
            }
        }
        #expect(count > 0)
        #expect(!machine(start + [.join]).hasOnlySent, "the loop is to be told")
    }

    @Test func `a source is told once, at the end of the turn, that its stream is over`() {
        var machine = machine([.request(), .stream(), .finish, .join])
        #expect(machine.next(isQueued: true, isDraining: false, turn: 0) == .flush)
        machine.isDirty = false
        let steps = (0..<2).map { _ in machine.next(isQueued: false, isDraining: false, turn: 0) }
        #expect(steps == [.tellClosed, .linger])
    }

    private static let drains: [([Event], ConnectionStep)] = [
        ([], .close), ([.part(.head)], .wait), ([.request()], .tellDraining),
        ([.request(), .stream()], .endStream(.draining)), ([.request(), .file], .wait),
        ([.refuse], .wait), ([.refuse, .linger], .wait), ([.close], .wait),
    ]

    @Test(arguments: drains)
    fileprivate func `a server that drains ends what waits for nothing, and tells the rest`(
        events: [Event], step: ConnectionStep
    ) {
        #expect(machine(events).drained() == step)
    }

    @Test func `an answer of a server that drains is the last one`() {
        var machine = machine([.request()])
        machine.answerBegins(isDraining: true)
        #expect(machine.request.isLast)
        machine.answered()
        #expect(machine.phase == .ending)
        var second = ConnectionMachine(now: Self.start)
        _ = second.requestBegan(RequestTraits(), isDraining: true)
        #expect(second.request.isLast)
    }

    @Test func `a connection that has reached its age ends with the next answer`() {
        var machine = ConnectionMachine(
            now: Self.start, expiry: Self.start.advanced(by: .seconds(1)))
        machine.received(1, at: Self.start.advanced(by: .milliseconds(999)), Self.limits)
        #expect(machine.requestBegan(RequestTraits(), isDraining: false) == 1)
        #expect(!machine.request.isLast)
        machine.answered()
        machine.received(1, at: Self.start.advanced(by: .seconds(1)), Self.limits)
        #expect(machine.requestBegan(RequestTraits(), isDraining: false) == 2)
        #expect(machine.request.isLast)
    }

    @Test func `an answer finds the request it is for`() {
        var machine = machine([.request(), .answer, .request()])
        #expect(!machine.awaitsAnswer(1))
        #expect(machine.awaitsAnswer(2))
        machine.fileBegan()
        #expect(!machine.awaitsAnswer(2))
        let streaming = self.machine([.request(), .stream()])
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
        var machine = machine([])
        for index in loops {
            #expect(machine.fate == .stays)
            guard let index else {
                machine.stayed()
                continue
            }
            machine.chooseRoute(to: LoopDestination(loopIndex: index), limits)
        }
        #expect((machine.fate == .leaves) == leaves)
    }

    @Test func `a stream moves at once`() {
        var machine = machine([])
        machine.chooseRoute(to: LoopDestination(loopIndex: 65_535, isStream: true), Self.limits)
        let step = machine.next(isQueued: false, isDraining: false, turn: 7)
        #expect(step == .leave(for: 65_535))
    }

    // MARK: Interest

    private static let interests: [([Event], Interest)] = [
        ([], .read), ([.request()], .read), ([.request(), .stream()], .peerClosed),
        ([.refuse, .linger], .read), ([.close], []), ([.blocked], [.read, .write]),
        ([.request(), .stream(), .blocked], [.peerClosed, .write]), ([.request(), .full], []),
        ([.request(), .more], .read), ([.request(), .peerEnded], []), ([.move], []),
        ([.request(.last)], []), ([.request(.last), .held], .peerClosed),
        ([.request(.last), .held, .answer], []), ([.request(), .held], .read),
        ([.request(.last), .held, .peerEnded], []), ([.refuse, .linger, .peerEnded], []),
        ([.refuse, .blocked], .write), ([.request(), .file, .blocked], [.read, .write]),
    ]

    @Test(arguments: interests)
    fileprivate func `the loop is asked for what can be used`(
        events: [Event], interest: Interest
    ) {
        #expect(machine(events).interest == interest)
    }

    @Test func `the loop is asked again only where that has changed`() {
        var machine = machine([])
        #expect(machine.takeInterest() == .read)
        #expect(machine.takeInterest() == nil)
        machine.flushed(.blocked, at: Self.start)
        #expect(machine.takeInterest() == [.read, .write])
        #expect(machine.takeInterest() == nil)
        machine.flushed(.drained, at: Self.start)
        #expect(machine.takeInterest() == .read)
        machine.closed()
        #expect(machine.takeInterest() == [])
    }

    // MARK: What is asked

    private static let ends: [([Event], Bool)] = [
        ([], true), ([.blocked], false), ([.more, .postpone], false), ([.join], false),
        ([.request(), .held, .join], false), ([.request()], false), ([.request(), .held], true),
        ([.request(), .held, .blocked], false), ([.request(), .stream()], true),
        ([.request(), .stream(), .blocked], true), ([.refuse, .linger], true),
        ([.request(), .held, .answer, .request()], false), ([.request(), .file], false),
    ]

    @Test(arguments: ends)
    fileprivate func `a client that ends its side still gets what it waits for, and no more`(
        events: [Event], isAbandoned: Bool
    ) {
        var machine = machine(events)
        #expect(!machine.isAbandoned)
        #expect(machine.peerEnded() == (isAbandoned ? .close : .wait))
        #expect(machine.isAbandoned == isAbandoned)
    }

    @Test(
        arguments: [
            ([], true), ([.part(.head)], false), ([.part(.body)], false), ([.blocked], false),
            ([.move], false), ([.more, .postpone], false), ([.join], false), ([.more], false),
            ([.join, .turnEnd], true), ([.request()], false),
        ] as [([Event], Bool)])
    fileprivate func `one that waits for nothing is idle`(events: [Event], isIdle: Bool) {
        #expect(machine(events).isIdle == isIdle)
    }

    @Test(
        arguments: [
            ([], true), ([.request(RequestTraits(isHead: true, isHTTP10: true)), .answer], true),
            ([.request(), .held, .answer], true), ([.request(.last), .answer], false),
            ([.part(.head)], false), ([.more], false), ([.peerEnded], false), ([.blocked], false),
            ([.join], false), ([.move], false), ([.request()], false),
        ] as [([Event], Bool)])
    fileprivate func `an answer is kept for others where only a request can follow`(
        events: [Event], isAtRest: Bool
    ) {
        #expect(machine(events).isAtRest == isAtRest)
    }

    // MARK: Time

    private static let deadlines: [([Event], Duration?, ConnectionStep?)] = [
        ([], limits.idleDuration, .close),
        ([.part(.head)], limits.headDuration, .refuseSlowRequest),
        ([.part(.body)], limits.bodyDuration, .refuseSlowRequest),
        ([.blocked], limits.writeProgressDuration, .close),
        ([.request(), .blocked], limits.writeProgressDuration, .close),
        ([.request(), .file, .blocked], limits.writeProgressDuration, .close),
        ([.request(), .stream()], .seconds(5), .endStream(.age)),
        ([.refuse, .blocked], limits.writeProgressDuration, .close),
        ([.refuse, .linger], limits.lingerDuration, .close), ([.request()], nil, nil),
        ([.blocked, .close], nil, nil), ([.join], nil, nil),
    ]

    @Test(arguments: deadlines)
    fileprivate func `each thing has its time, and not a moment less`(
        events: [Event], after: Duration?, overdue: ConnectionStep?
    ) {
        let machine = machine(events)
        let time = after ?? .seconds(1_000_000)
        let before = Self.start.advanced(by: time).advanced(byNanoseconds: -1)
        #expect(machine.overdue(at: before, Self.limits) == nil)
        #expect(machine.overdue(at: Self.start.advanced(by: time), Self.limits) == overdue)
    }

    @Test func `a client that leaves too much unread is closed where memory is short`() {
        #expect(machine([]).overdue(at: Self.start, Self.limits, isFat: true) == nil)
        #expect(machine([.blocked]).overdue(at: Self.start, Self.limits, isFat: true) == .close)
    }

    @Test func `a head's time runs from its first byte, a body's from its last`() {
        var machine = machine([.part(.head)])
        let later = Self.start.advanced(by: .seconds(15))
        machine.received(1, at: later, Self.limits)
        machine.requestCame(inPart: .head)
        let end = Self.start.advanced(by: Self.limits.headDuration)
        #expect(machine.overdue(at: end, Self.limits) == .refuseSlowRequest)
        machine.requestCame(inPart: .body)
        #expect(machine.overdue(at: end, Self.limits) == nil)
        let bodyEnd = later.advanced(by: Self.limits.bodyDuration)
        #expect(machine.overdue(at: bodyEnd, Self.limits) == .refuseSlowRequest)
    }

    @Test func `a part of a request keeps its time while it waits for room`() {
        var machine = machine([.part(.head), .blocked, .more, .sent])
        machine.received(1, at: Self.start.advanced(by: .seconds(15)), Self.limits)
        machine.handsOut()
        machine.requestCame(inPart: .head)
        let end = Self.start.advanced(by: Self.limits.headDuration)
        #expect(machine.overdue(at: end, Self.limits) == .refuseSlowRequest)
    }

    @Test func `a connection's age ends it while it is idle`() {
        let expiry = Self.start.advanced(by: .seconds(5))
        var machine = ConnectionMachine(now: Self.start, expiry: expiry)
        #expect(machine.overdue(at: expiry, Self.limits) == .close)
        _ = machine.requestBegan(RequestTraits(), isDraining: false)
        #expect(machine.overdue(at: expiry, Self.limits) == nil)
    }

    // MARK: Size

    @Test func `a connection's parts stay small`() {
        #expect(MemoryLayout<ConnectionMachine>.size <= 80)
        #expect(MemoryLayout<Awaited>.size == 16)
        #expect(MemoryLayout<WriteQueue>.size <= 32)
    }
}
