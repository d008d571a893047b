internal import CLinux
internal import DequeModule
internal import Glibc

/// Bytes waiting for room in one socket: references to shared frames, and copied bytes, in order.
///
/// One item needs no memory beyond itself. A flush is one system
/// call (gathering up to 64 items), more only while calls move everything they were given.
package final class WriteQueue {
    /// The number of items that one call gathers.
    package static let itemsPerCall = 64

    /// The first item, if any; kept inline because there rarely is a second.
    private var first = Item()
    private var rest: Deque<Item>?
    private var waitingCount = 0
    /// The last item was copied into the queue, and more can be copied behind it.
    private var isLastOwn = false

    package init() {}

    /// The number of bytes that wait.
    package var byteCount: Int { waitingCount }

    /// Nothing waits.
    package var isEmpty: Bool { waitingCount == 0 }

    /// Adds a frame by reference.
    package func append(_ frame: SharedBytes) {
        append(frame, 0..<frame.count)
    }

    /// Adds a part of a frame by reference.
    package func append(_ frame: SharedBytes, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let item = Item(frame, range)
        if isEmpty {
            first = item
        } else {
            rest = rest ?? Deque()
            rest?.append(item)
        }
        waitingCount += range.count
        isLastOwn = false
    }

    /// Adds a copy of the bytes.
    package func append(copying bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        guard isLastOwn else {
            append(SharedBytes(copying: bytes))
            return isLastOwn = true
        }
        waitingCount += bytes.count
        if let last = rest.map({ $0.count - 1 }) {
            rest?[last].append(copying: bytes)
        } else {
            first.append(copying: bytes)
        }
    }

    /// The number of waiting bytes that are not counted elsewhere, as large shared ones are.
    package var uncountedByteCount: Int {
        rest?.reduce(first.uncountedByteCount) { $0 + $1.uncountedByteCount }
            ?? first.uncountedByteCount
    }

    /// The waiting bytes, when they are one item's: one send can be made of them.
    var onlyItem: Item? {
        !isEmpty && rest == nil ? first : nil
    }

    /// Forgets everything and gives the memory back.
    package func removeAll() {
        // One by one: what is assigned together is checked at run time wherever it is read.
        first = Item()
        rest = nil
        waitingCount = 0
        isLastOwn = false
    }

    /// Sends bytes behind what is waiting; what finds no room is copied.
    package func send(
        copying bytes: Span<UInt8>, to descriptor: borrowing Descriptor, _ system: SystemCalls
    ) -> FlushResult {
        guard isEmpty else {
            append(copying: bytes)
            return flush(to: descriptor, system)
        }
        switch system.send(bytes, to: descriptor) {
        case .bytes(let count):
            guard count < bytes.count else { return .drained }
            append(copying: bytes.extracting(count...))
            return .blocked
        case .wouldBlock, .closed:
            append(copying: bytes)
            return .blocked
        case .failed(let code): return .failed(code)
        }
    }

    /// Sends what is waiting, as much as there is room for.
    package func flush(
        to descriptor: borrowing Descriptor, _ system: SystemCalls
    ) -> FlushResult {
        while !isEmpty {
            let (result, offered) = sendOnce(to: descriptor, system)
            switch result {
            case .bytes(let count):
                removeSent(count)
                if count < offered { return .blocked }
            case .wouldBlock, .closed: return .blocked
            case .failed(let code): return .failed(code)
            }
        }
        return .drained
    }

    /// One system call, and how many bytes it was given.
    private func sendOnce(
        to descriptor: borrowing Descriptor, _ system: SystemCalls
    ) -> (IOResult, offered: Int) {
        guard let rest else {
            return (
                system.send(first.bytes.span.extracting(first.range), to: descriptor), byteCount
            )
        }
        return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.itemsPerCall) {
            let items = min(rest.count + 1, Self.itemsPerCall)
            var offered = 0
            for index in 0..<items {
                let item = index == 0 ? first : rest[index - 1]
                // Safety: the address of an array's elements is valid until the array is changed
                // or released. The queue holds every item, and is not changed during the call.
                let base = unsafe item.bytes.withUnsafeBytes { $0.baseAddress }
                unsafe $0[index] = unsafe iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: base)?
                        .advanced(by: item.range.lowerBound),
                    iov_len: item.count)
                offered += item.count
            }
            let vectors = unsafe UnsafeMutableBufferPointer(rebasing: $0[..<items])
            let result = withExtendedLifetime((first, rest)) {
                unsafe system.sendGathered(vectors, count: offered, to: descriptor)
            }
            return (result, offered)
        }
    }

    /// Takes out as many of the waiting bytes, which were sent.
    package func removeSent(_ count: Int) {
        precondition(count <= waitingCount, "No more is sent than waits.")
        waitingCount -= count
        guard !isEmpty else { return removeAll() }
        var left = count
        while left >= first.count {
            left -= first.count
            first = rest?.popFirst() ?? Item()
        }
        first.removeFirst(left)
        if rest?.isEmpty ?? false { rest = nil }
    }
}

extension WriteQueue {
    /// The waiting part of one array, which other queues may hold as well.
    struct Item {
        private var shared = SharedBytes([])
        private var start: UInt32 = 0
        private var end: UInt32 = 0

        init() {}

        /// These bytes of an array; none of them is copied.
        init(_ shared: SharedBytes, _ range: Range<Int>) {
            precondition(range.upperBound <= shared.count, "A queue sends what is there.")
            precondition(shared.count <= Int(UInt32.max), "An item of a queue is below 4 GiB.")
            self.shared = shared
            start = UInt32(range.lowerBound)
            end = UInt32(range.upperBound)
        }

        var bytes: [UInt8] { shared.bytes }
        var range: Range<Int> { Int(start)..<Int(end) }
        var count: Int { Int(end - start) }
        /// The bytes that nobody else counts.
        var uncountedByteCount: Int { shared.uncountedByteCount == 0 ? 0 : count }

        /// Appends to the array, which is the queue's own and waits to its end.
        mutating func append(copying more: Span<UInt8>) {
            shared.append(copying: more)
            precondition(shared.count <= Int(UInt32.max), "An item of a queue is below 4 GiB.")
            end = UInt32(shared.count)
        }

        /// Leaves the first bytes out: they are sent.
        mutating func removeFirst(_ count: Int) {
            precondition(count <= self.count, "No more of an item is sent than waits.")
            start += UInt32(count)
        }
    }
}

/// The result of a flush or a send.
package enum FlushResult: Sendable, Hashable {
    /// Everything is sent; nothing is waiting.
    case drained
    /// The socket has no room for the rest: add `Readiness.write`, flush again when writable.
    case blocked
    /// The connection is lost; what was waiting is still in the queue.
    case failed(Errno)
}
