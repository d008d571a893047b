internal import Sockets

/// A part of a file on its way into a socket, without passing through the process.
final class FileTransfer {
    let file: Descriptor
    private(set) var offset: Int64
    private(set) var remaining: Int64

    /// How much goes out in one turn at most, so that other connections have theirs.
    private static let byteCountPerTurn: Int64 = 4 * 1024 * 1024

    init(_ file: consuming Descriptor, range: Range<Int64>) {
        self.file = file
        offset = range.lowerBound
        remaining = Int64(range.count)
    }

    /// What a turn of sending came to.
    enum Progress {
        /// All is sent.
        case complete
        /// There is no room, or others have their turn now.
        case waiting(moved: Int)
        /// The connection is lost, or the file has become shorter.
        case failed
    }

    /// Sends as much as there is room for.
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

/// Files as bodies.
extension Connection {
    /// Sends on; the answer is complete when the file is.
    func send(_ transfer: FileTransfer, on loop: isolated EventLoop) {
        switch transfer.send(to: descriptor, loop.system) {
        case .complete:
            state.flags.remove(.isBlocked)
            answered()
            server.markDirty(self)
        case .waiting(let moved):
            state.outputTaken(moved, at: server.now(loop), server.leastPace)
            state.outputBlocked(at: server.now(loop))
            updateInterest(on: loop)
        case .failed: close(on: loop)
        }
    }
}
