internal import CLinux
internal import Glibc

/// Sends to many sockets, made together by `EventLoop.send(_:)`.
///
/// From two sends on that costs the processor less than a system call for each: a fourth less from
/// sixteen on, with 1 KB each. What a batch does not send, a queue sends as ever.
@safe package struct SendBatch {
    /// The number of sends that fit.
    package static let capacity = TransferRing.capacity

    // Safety: an entry's address is that of the elements of its array in `held`. These stay where they
    // are until it is changed or released. The batch changes none that it holds, and another owner
    // that does gets a copy, because the batch's reference is a second.
    private var sends = unsafe [clinux_transfer]()
    private var held: [[UInt8]] = []
    /// The result of each send; empty until the batch is sent.
    private var results: [Int32] = []

    package init() {}

    package var count: Int {
        unsafe sends.count
    }

    /// No more fit.
    package var isFull: Bool {
        count == Self.capacity
    }

    /// Adds what waits in a queue, to be sent to a socket, which stays open until the batch is
    /// sent. Gives the position of the send; nil, and adds nothing, where nothing waits or more
    /// than one item.
    package mutating func add(
        _ queue: WriteQueue, to descriptor: borrowing Descriptor
    ) -> Int? {
        guard let item = queue.onlyItem else { return nil }
        add(item.bytes, item.range, to: descriptor)
        return count - 1
    }

    /// Adds some of these bytes, to be sent to a socket, which stays open until the batch is sent.
    package mutating func add(
        _ bytes: [UInt8], _ range: Range<Int>, to descriptor: borrowing Descriptor
    ) {
        precondition(!isFull, "A batch that is full is sent first.")
        precondition(range.upperBound <= bytes.count, "A batch sends what is there.")
        let base = unsafe bytes.withUnsafeBytes { $0.baseAddress }
        unsafe sends.append(
            clinux_transfer(
                bytes: UnsafeMutableRawPointer(mutating: base?.advanced(by: range.lowerBound)),
                count: UInt32(clamping: range.count),
                descriptor: descriptor.rawValue))
        held.append(bytes)
    }

    /// The result of the send at this position, in the order of adding; nil when it was not made.
    package func result(at position: Int) -> IOResult? {
        guard position < results.count else { return nil }
        return IOResult(ofTransfer: results[position], endsAtZero: false)
    }

    /// Forgets everything, to be filled again.
    package mutating func removeAll() {
        unsafe sends.removeAll(keepingCapacity: true)
        held.removeAll(keepingCapacity: true)
        results.removeAll(keepingCapacity: true)
    }

    /// Makes the sends by one call; 0, or minus the number of its error.
    mutating func send(through ring: TransferRing, _ system: SystemCalls) -> Int {
        results.append(
            contentsOf: repeatElement(clinux_not_made, count: count - results.count))
        return unsafe sends.withUnsafeMutableBufferPointer { sends in
            unsafe results.withUnsafeMutableBufferPointer { results in
                unsafe ring.make(.sendTogether, sends, results: results, system)
            }
        }
    }
}
