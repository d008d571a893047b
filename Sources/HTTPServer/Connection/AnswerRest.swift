internal import Sockets

/// The part of an answer that follows the bytes of its writer.
enum AnswerRest {
    case nothing
    /// A large body, shared with other answers.
    case body(SharedBytes)
    /// A part of a file.
    case file(FileTransfer)
}
