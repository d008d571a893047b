/// The reason to let go of a session, as the event that ends its streams.
enum SessionClosing: String {
    /// It has ended.
    case ended = "end"
    /// Another server has it: clients may come again.
    case moved = "busy"
}
