internal import Sockets
internal import Synchronization

/// An answer on its way to the loop of its connection.
struct ForwardedAnswer: Sendable {
    /// The part of the answer that follows the head.
    enum Rest: Sendable {
        case nothing
        case body(SharedBytes)
        case file(ForwardedFile)
    }

    /// The head; a small body stands behind it.
    let head: [UInt8]
    let rest: Rest

    /// The rest, with the file taken out, once.
    func takeRest() -> AnswerRest {
        switch rest {
        case .nothing: .nothing
        case .body(let body): .body(body)
        case .file(let file): .file(file.takeTransfer())
        }
    }
}

/// A part of a file between two loops.
final class ForwardedFile: Sendable {
    private let descriptor: Mutex<Descriptor>
    private let range: Range<Int64>

    init(_ transfer: FileTransfer) {
        range = transfer.range
        descriptor = Mutex(transfer.takeFile())
    }

    /// Takes the file, once, to send it.
    func takeTransfer() -> FileTransfer {
        FileTransfer(descriptor.withLock { $0.take() }, range: range)
    }
}
