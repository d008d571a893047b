internal import HTTPMessages
internal import Sockets

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
        self = RequestTraits(rawValue: UInt16(origin.number) << 8)
        if head.method == .head { insert(.isHead) }
        if head.version == .http10 { insert(.isHTTP10) }
        if !head.keepAlive { insert(.isLast) }
    }

    /// The form of an answer to such a request.
    var framing: AnswerFraming {
        AnswerFraming(
            isHead: contains(.isHead), isHTTP10: contains(.isHTTP10), isLast: contains(.isLast),
            origin: RequestOrigin(number: UInt8(rawValue >> 8)))
    }
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
    /// The answer is sent with those of other connections.
    static let isBatched = OutputTraits(rawValue: 1 << 2)
    /// The connection is in the list of those that go on at the end of the turn.
    static let isDirty = OutputTraits(rawValue: 1 << 3)
    /// The connection is in the list of those that go on in the next turn.
    static let isPostponed = OutputTraits(rawValue: 1 << 4)
    /// Frames of a compressed stream wait for room before they are compressed.
    static let isUncoded = OutputTraits(rawValue: 1 << 5)
    /// The source of the stream wants to be told when all is sent.
    static let tellsDrained = OutputTraits(rawValue: 1 << 6)
    /// The source of the stream has not been told yet that it is over.
    static let tellsClosed = OutputTraits(rawValue: 1 << 7)
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
