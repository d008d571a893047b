/// The way a request goes on whose client waits before it sends the body (RFC 9110 §10.1.1).
enum Expectation {
    /// The client is told to send the body.
    case goOn
    /// The request is refused, whatever its body; without a problem, the handler says why.
    case refuse(ProblemDetails?)
    /// The loop of this index knows.
    case move(to: Int)
}
