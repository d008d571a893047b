extension WriteQueue {
    /// What waits of one array, which other queues may hold as well.
    struct Item {
        var bytes: [UInt8] = []
        private var start: UInt32 = 0
        private var end: UInt32 = 0

        init() {}

        /// These bytes of an array; none of them is copied.
        init(_ bytes: [UInt8], _ range: Range<Int>) {
            precondition(range.upperBound <= bytes.count, "A queue sends what is there.")
            precondition(bytes.count <= Int(UInt32.max), "An item of a queue is below 4 GiB.")
            self.bytes = bytes
            start = UInt32(range.lowerBound)
            end = UInt32(range.upperBound)
        }

        var range: Range<Int> { Int(start)..<Int(end) }
        var count: Int { Int(end - start) }

        /// Appends to the array, which is the queue's own and waits to its end.
        mutating func append(copying more: Span<UInt8>) {
            unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            precondition(bytes.count <= Int(UInt32.max), "An item of a queue is below 4 GiB.")
            end = UInt32(bytes.count)
        }

        /// Leaves the first bytes out: they are sent.
        mutating func removeFirst(_ count: Int) {
            precondition(count <= self.count, "No more of an item is sent than waits.")
            start += UInt32(count)
        }
    }
}
