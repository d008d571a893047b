/// Memory with one owner, allocated once at a fixed size and freed with it; not initialized. For
/// elements without references only.
///
/// Safety: only its owner reaches the memory, so it moves between isolations with its owner.
@safe struct OwnedBuffer<Element>: ~Copyable, @unchecked Sendable {
    let pointer: UnsafeMutableBufferPointer<Element>

    init(capacity: Int) {
        unsafe pointer = .allocate(capacity: capacity)
    }

    deinit {
        unsafe pointer.deallocate()
    }
}
