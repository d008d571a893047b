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
