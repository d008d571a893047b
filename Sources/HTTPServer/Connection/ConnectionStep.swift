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
