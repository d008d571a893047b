import HTTPMessages
import HTTPServer

/// A request about one session.
struct SessionRequest {
    let head: RequestHead
    let body: Range<Int>
    let exchange: Exchange
    let caller: Caller
    let mount: Int
    /// The id in the path, and its hash.
    let id: Slice
    let hash: UInt64

    /// The principal that sent it.
    var principal: Principal { caller.principal }

    // Not inlined: the head would be copied twice more.
    @inline(never)
    init(
        head: RequestHead, body: Range<Int>, exchange: Exchange, caller: Caller, mount: Int,
        id: Slice, hash: UInt64
    ) {
        self.head = head
        self.body = body
        self.exchange = exchange
        self.caller = caller
        self.mount = mount
        self.id = id
        self.hash = hash
    }
}
