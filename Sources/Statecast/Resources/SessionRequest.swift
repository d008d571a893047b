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

    // Not inlined: the head would be copied twice more.
    @inline(never)
    init(
        head: RequestHead, body: Range<Int>, exchange: Exchange, principal: Principal, mount: Int,
        id: Slice, hash: UInt64
    ) {
        self.head = head
        self.body = body
        self.exchange = exchange
        self.principal = principal
        self.mount = mount
        self.id = id
        self.hash = hash
    }
}
