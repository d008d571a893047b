internal import Sockets

/// A part of a file on its way into a socket, without passing through the process.
final class FileTransfer {
    private var file: Descriptor
    private var offset: Int64
    private var remaining: Int64

    /// So much goes out in one turn at most, so that other connections have theirs.
    private static let byteCountPerTurn: Int64 = 4 * 1024 * 1024

    init(_ file: consuming Descriptor, range: Range<Int64>) {
        precondition(range.lowerBound >= 0, "A file begins at 0.")
        self.file = file
        offset = range.lowerBound
        remaining = Int64(range.count)
    }

    /// The part that is left to send.
    var range: Range<Int64> { offset..<offset + remaining }

    /// Gives the file to another owner.
    func takeFile() -> Descriptor {
        file.take()
    }

    /// The outcome of a turn of sending.
    enum Progress {
        /// All is sent.
        case complete
        /// There is no room, or others have their turn now.
        case waiting(moved: Int)
        /// The connection is lost, or the file has become shorter.
        case failed
    }

    /// Sends as much of the file as there is room for.
    func send(to socket: borrowing Descriptor, _ system: SystemCalls) -> Progress {
        var moved: Int64 = 0
        while remaining > 0, moved < Self.byteCountPerTurn {
            let count = Int(min(remaining, Self.byteCountPerTurn - moved))
            switch system.sendFile(file, offset: &offset, count: count, to: socket) {
            case .bytes(let count):
                remaining -= Int64(count)
                moved += Int64(count)
            case .wouldBlock: return .waiting(moved: Int(moved))
            case .closed, .failed: return .failed
            }
        }
        return remaining == 0 ? .complete : .waiting(moved: Int(moved))
    }
}
