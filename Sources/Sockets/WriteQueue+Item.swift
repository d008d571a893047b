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
