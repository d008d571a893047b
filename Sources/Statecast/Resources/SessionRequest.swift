import HTTPMessages
import HTTPServer

/// A request about one session.
struct SessionRequest {
    let head: RequestHead
    let body: Range<Int>
    let exchange: Exchange
    /// The id of the principal that sent it; empty for a client that is not known.
    let principal: String
    let mount: Int
    /// The id in the path, and its hash.
    let id: Slice
    let hash: UInt64
}
