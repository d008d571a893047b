import HTTPMessages
import HTTPServer

/// A request about one session.
struct SessionRequest {
    let head: RequestHead
    let body: Range<Int>
    let exchange: Exchange
    /// The principal that sent it.
    let principal: Principal
    let mount: Int
    /// The id in the path, and its hash.
    let id: Slice
    let hash: UInt64
}
