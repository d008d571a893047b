import HTTPServer
import Sockets

/// A POST's wishes besides its actions.
struct ActionRequest {
    /// An idempotency key with all that counts about it.
    struct Key {
        var hash: IdempotencyHash
        /// The key as it stands in an entry.
        var text: String
        /// The id of the principal that sent it; empty for a client that is not known.
        var principal: String
        /// A 64-bit print of the body, the same in every process.
        var print: UInt64

        init(_ text: String, of principal: String, print: UInt64) {
            hash = IdempotencyHash(text, of: principal)
            self.text = text
            self.principal = principal
            self.print = print
        }
    }

    var exchange: Exchange
    var key: Key?
    var returnsState = false
    var settle: Duration?
    /// The request is for one state only.
    var isConditional = false
    /// The key was used before: the first answer is given again, once its effects have settled, or
    /// as the state, where the repeat asks for that.
    var isRepeated = false
}

/// An answer that waits for the journal.
struct HeldAnswer {
    var request: ActionRequest
    var result: Result<ActionAnswer, ProblemDetails>
}
