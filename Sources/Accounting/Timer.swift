/// A thing that is to happen at a time, in one wheel of timers. Once it has happened or was cancelled
/// it means nothing: cancelling it again is harmless.
package struct Timer: Sendable, Hashable, BitwiseCopyable {
    package let index: UInt32
    package let generation: UInt32

    package init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// A timer that is not, and never was, scheduled: a start value for a property.
    package static let none = Timer(index: .max, generation: 0)
}
