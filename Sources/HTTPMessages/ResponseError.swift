/// The reason for which an answer is refused; nothing behind it on its connection can be read.
package enum ResponseError: Error, Sendable, Hashable {
    /// The bytes are no answer of HTTP/1: the sentence says what is wrong.
    case malformed(String)
    /// The head, or the whole answer, is longer than the reader takes.
    case tooLong(limit: Int)
}
