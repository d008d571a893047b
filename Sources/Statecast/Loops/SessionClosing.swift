import HTTPServer

/// The reason to let go of a session, as the event that ends its streams.
enum SessionClosing: String {
    /// It has ended.
    case ended = "end"
    /// Another server has it: clients may come again.
    case moved = "busy"

    /// What those are told who wait for the session.
    var problem: ProblemDetails { self == .moved ? .sessionMoved : .sessionEnded }
    /// What the server's own code is told.
    var error: SessionError { self == .moved ? SessionError(.sessionMoved) : .ended }
}
