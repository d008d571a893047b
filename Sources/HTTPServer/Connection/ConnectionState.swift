internal import HTTPMessages
internal import Sockets

// Without raw values: two that have them are compared by a generic call, and an access to the machine
// in which something is called is checked at run time.

/// A connection's place in the diagram of `ConnectionMachine`.
enum ConnectionPhase {
    /// No request is out: none has begun, or one has come in part.
    case reading
    /// A request waits for its answer.
    case handling
    /// The head of an answer is written, its body is a file that is being sent.
    case sendingFile
    /// An answer without end is being sent.
    case streaming
    /// The last answer is written: the connection ends once all is sent.
    case ending
    /// All is said; input is dropped until the client ends its side.
    case lingering
    /// Nothing happens any more.
    case closed
}

/// The part of a request that has come, where it is not whole.
enum RequestPart {
    case nothing
    /// The first bytes, not yet all of the head.
    case head
    /// The head, not yet all of the body.
    case body
}

/// The end that a connection is bound for, besides that of its last answer.
enum ConnectionFate {
    case stays
    /// The next request belongs to another loop, which gets the connection once all is sent.
    case leaves
    /// More waits in the stream, or was dropped while lingering, than is allowed.
    case exhausted
    /// The socket has failed.
    case lost
}

/// The shell does this next, and asks again unless it is one that ends a run.
enum ConnectionStep: Equatable {
    /// Wait for the events that `interest` names. Ends a run.
    case wait
    /// Close the descriptor. Ends a run.
    case close
    /// Give the descriptor and the unread input to the loop of this index. Ends a run.
    case leave(for: Int)
    /// End the output, and take input until the client has read the last answer.
    case linger
    /// Compress the frames that wait, and queue what comes of them.
    case encode
    /// Send what is queued.
    case flush
    /// Send more of the file.
    case sendFile
    /// Hand out the requests that have waited.
    case handOut
    /// Hand out the requests that wait in the next turn: this one's others come first.
    case postpone
    /// Tell the source of the stream that all is sent.
    case tellDrained
    /// Tell the source of the finished stream that it is over.
    case tellClosed
    /// Finish the stream for a reason of the server's.
    case endStream(StreamEnd)
    /// Tell the holder of the request that the server shuts down.
    case tellDraining
    /// Answer 408: the request has not come whole in time.
    case refuseSlowRequest

    /// Nothing more is to be done now.
    var endsRun: Bool {
        switch self {
        case .wait, .close, .leave: true
        default: false
        }
    }
}

/// The traits of the present request that its answer depends on: the upper byte is the number of
/// its origin.
struct RequestTraits: OptionSet, Sendable {
    let rawValue: UInt16

    /// The request is HEAD: its answer has no body.
    static let isHead = RequestTraits(rawValue: 1 << 0)
    /// The request is HTTP/1.0.
    static let isHTTP10 = RequestTraits(rawValue: 1 << 1)
    /// The connection ends with the answer to the request.
    static let isLast = RequestTraits(rawValue: 1 << 2)
    /// The client has been told to go on with the request's body.
    static let hasContinued = RequestTraits(rawValue: 1 << 3)
    /// The request is held for nothing but its client: one that has ended its side has given it
    /// up.
    static let endsWithInput = RequestTraits(rawValue: 1 << 4)
    /// The answer is a stream that is compressed.
    static let isCompressed = RequestTraits(rawValue: 1 << 5)
}

extension RequestTraits {
    init(_ head: RequestHead, from origin: RequestOrigin = .unshared) {
        self.init(from: origin)
        if head.method == .head { insert(.isHead) }
        if head.version == .http10 { insert(.isHTTP10) }
        if !head.keepAlive { insert(.isLast) }
    }

    init(from origin: RequestOrigin) {
        self = RequestTraits(rawValue: UInt16(origin.number) << 8)
    }

    var origin: RequestOrigin { RequestOrigin(number: UInt8(rawValue >> 8)) }
}

/// The traits of the bytes that come.
struct InputTraits: OptionSet {
    let rawValue: UInt8

    /// The client has ended its side.
    static let hasEnded = InputTraits(rawValue: 1 << 0)
    /// Requests wait behind the present one, or for another turn.
    static let hasRequests = InputTraits(rawValue: 1 << 1)
    /// The requests that wait have reached their bound.
    static let isFull = InputTraits(rawValue: 1 << 2)
    /// Bytes have come, or may come, that no one will read: closing at once would reset.
    static let isUnread = InputTraits(rawValue: 1 << 3)

    var hasEnded: Bool { contains(.hasEnded) }
    var isUnread: Bool { contains(.isUnread) }
}

/// The traits of the bytes that go.
struct OutputTraits: OptionSet {
    let rawValue: UInt8

    /// Something waits for room in the socket.
    static let isBlocked = OutputTraits(rawValue: 1 << 0)
    /// The socket has said that it has room for what waits.
    static let hasRoom = OutputTraits(rawValue: 1 << 1)
    /// The connection is in the list of those that go on at the end of the turn.
    static let isDirty = OutputTraits(rawValue: 1 << 2)
    /// The connection is in the list of those that go on in the next turn.
    static let isPostponed = OutputTraits(rawValue: 1 << 3)
    /// Frames of a compressed stream wait for room before they are compressed.
    static let isUncoded = OutputTraits(rawValue: 1 << 4)
    /// The source of the stream wants to be told when all is sent.
    static let tellsDrained = OutputTraits(rawValue: 1 << 5)
    /// The source of the stream has not been told yet that it is over.
    static let tellsClosed = OutputTraits(rawValue: 1 << 6)
}

/// The events that the loop was last asked to tell of: an `Interest`, one byte over the other.
struct ToldInterest: Equatable {
    private var bits: UInt8

    init(_ interest: Interest = []) {
        bits = UInt8(truncatingIfNeeded: interest.rawValue | interest.rawValue >> 8)
    }

    /// These events from now on; nil where they are the same as before.
    mutating func change(to interest: Interest) -> Interest? {
        let told = ToldInterest(interest)
        guard told != self else { return nil }
        self = told
        return interest
    }
}

/// The other loop that a client's requests go to, and how many of them in a row have gone there.
struct LoopAffinity {
    /// The way of a request that another loop answers.
    enum Route: Sendable {
        /// A copy of the request goes to that loop, and its answer comes back.
        case forward
        /// The connection moves to that loop, with the request unread.
        case move
    }

    private var loopIndex: UInt16 = 0
    /// A byte, since every connection has one: a bound of more than 255 counts as 255.
    private var count: UInt8 = 0

    /// The loop of the last request that had to be answered on another one.
    var target: Int { Int(loopIndex) }

    /// Chooses the way of a request to another loop: a stream moves, and so does a client that has
    /// asked for that loop `limit` times in a row.
    mutating func chooseRoute(to destination: LoopDestination, limit: Int) -> Route {
        setTarget(destination.loopIndex)
        guard !destination.isStream, Int(count) < min(limit, Int(UInt8.max)) else { return .move }
        count += 1
        return .forward
    }

    /// Moves to this loop, whatever has been asked before.
    mutating func setTarget(_ index: Int) {
        precondition((0...Int(UInt16.max)).contains(index), "A server has at most 65,536 loops.")
        if index != target { count = 0 }
        loopIndex = UInt16(index)
    }

    /// A request was answered here: those to another loop are counted anew.
    mutating func stayed() {
        count = 0
    }
}
