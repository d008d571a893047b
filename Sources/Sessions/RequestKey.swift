/// The idempotency key of a request, with all that counts about it.
package struct RequestKey: Sendable, Hashable {
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
