internal import HTTPMessages
internal import Sockets

/// A whole request on its way to another loop.
struct ForwardedRequest: Sendable {
    let key: ForwardKey
    let head: RequestHead
    /// Head and body.
    let message: [UInt8]
    let body: Range<Int>
    let framing: AnswerFraming
    let address: IPAddress

    /// A copy of a request; `bytes` begin with its head.
    init(
        _ key: ForwardKey, _ head: RequestHead, _ bytes: Span<UInt8>, body: Range<Int>,
        _ framing: AnswerFraming, from address: IPAddress
    ) {
        self.key = key
        self.head = head
        message = [UInt8](copying: bytes.extracting(..<body.upperBound))
        self.body = body
        self.framing = framing
        self.address = address
    }
}
