extension WriteQueue {
    /// The bytes that wait in a queue, and whether more can be copied behind them: two facts in one
    /// word, since every connection has a queue.
    @usableFromInline
    struct Backlog {
        /// Twice the number of bytes, and one more where the last item is the queue's own.
        @usableFromInline var word: UInt = 0

        /// The number of bytes that wait.
        @inlinable var byteCount: Int { Int(word >> 1) }
        /// The last item was copied into the queue, and more can be copied behind it.
        var isLastOwn: Bool { word & 1 == 1 }

        /// Adds to the bytes that wait; `isOwn` where the last item is now the queue's own.
        mutating func add(_ count: Int, isOwn: Bool) {
            word = UInt(byteCount + count) << 1 | (isOwn ? 1 : 0)
        }

        /// Removes some of the bytes that wait, from the front.
        mutating func remove(_ count: Int) {
            precondition(count <= byteCount, "No more is sent than waits.")
            word -= UInt(count) << 1
        }
    }
}
