/// The loop that a request must be answered on.
package struct LoopDestination: Sendable, Hashable {
    /// The loop's index.
    package var loopIndex: Int
    /// The answer is a stream: the connection moves to that loop first.
    package var isStream: Bool

    package init(loopIndex: Int, isStream: Bool = false) {
        self.loopIndex = loopIndex
        self.isStream = isStream
    }
}
