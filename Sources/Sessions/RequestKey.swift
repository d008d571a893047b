/// The idempotency key of a request, with all that counts about it.
///
/// It is an object: few requests have one, and every request hands it on from hand to hand.
package final class RequestKey: Sendable {
    let hash: IdempotencyHash
    /// The key as it stands in an entry.
    let text: String
    /// The id of the principal that sent it; empty for a client that is not known.
    let principal: String
    /// A 64-bit print of the body, the same in every process.
    let print: UInt64

    package init(_ text: String, of principal: String, print: UInt64) {
        hash = IdempotencyHash(text, of: principal)
        self.text = text
        self.principal = principal
        self.print = print
    }
}

extension RequestKey: Equatable {
    /// The same key of the same principal, with the same body.
    package static func == (left: RequestKey, right: RequestKey) -> Bool {
        left.text == right.text && left.principal == right.principal && left.print == right.print
    }
}
