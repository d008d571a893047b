internal import CLinux
internal import Glibc

/// The memory that a loop's handlers receive into, one after the other.
@safe package final class LoopInput {
    /// The most bytes that one receive takes.
    static let byteCount = 64 * 1024

    /// What was received together before the handlers run.
    package let batch = ReceiveBatch()
    // Set by a call, so that the compiler need not check each access at run time.
    private(set) var leastBatchCount: Int?
    private let scratch = OwnedBuffer<UInt8>(capacity: byteCount)
    /// The bytes in `scratch`; nil where the last receive was one of the batch.
    private var scratchCount: Int?
    private var isLent = false

    /// From this many on, sockets that are readable in one turn are received from by one system
    /// call, where the kernel has io_uring(7); nil for never.
    package func receiveTogether(from count: Int?) { leastBatchCount = count }

    /// Receives once, or takes what was received before.
    @inline(__always)
    func receive(from descriptor: borrowing Descriptor, _ system: SystemCalls) -> IOResult {
        precondition(!isLent, "What was received is not overwritten while it is lent.")
        if let result = batch.take(descriptor.rawValue) {
            scratchCount = nil
            return result
        }
        let result = unsafe system.receive(
            from: descriptor, into: UnsafeMutableRawBufferPointer(scratch.pointer))
        if case .bytes(let count) = result { scratchCount = count }
        return result
    }

    /// Lends the bytes that the last receive has brought. They are gone when `body` returns: it
    /// copies what it keeps, and must not receive again itself.
    @inline(__always)
    package func lend(_ body: (Span<UInt8>) -> Void) {
        isLent = true
        if let scratchCount {
            unsafe body(UnsafeBufferPointer(rebasing: scratch.pointer[..<scratchCount]).span)
        } else {
            batch.lend(body)
        }
        isLent = false
    }
}

/// Receives from sockets that are readable, made together before their handlers run: each then
/// finds its own at hand when it receives.
///
/// From two receives on that costs the processor less than a system call for each. Each takes a
/// little; what is behind it comes with the next event.
@safe package final class ReceiveBatch {
    /// The number of receives that fit.
    static let capacity = 32
    /// The most bytes that one receive takes; requests are mostly shorter.
    static let byteCount = 4096
    /// Neighbours do not begin in the same lines of a cache.
    private static let distance = byteCount + 3 * 64

    // Safety: the entries and their bytes are at fixed places, which only this object reaches; each
    // entry's bytes are its own. What is lent of them is over before the next batch is filled.
    private let bytes = OwnedBuffer<UInt8>(capacity: capacity * distance)
    private let entries = unsafe OwnedBuffer<clinux_transfer>(capacity: capacity)
    private let results = OwnedBuffer<Int32>(capacity: capacity)
    private let owners = OwnedBuffer<Registration>(capacity: capacity)
    /// The number of entries.
    private(set) var count = 0
    /// The first entry whose owner has not had its event yet.
    private var next = 0
    /// The entry of the event that is delivered now, until it is taken.
    private var present: Int?
    /// The entry that was taken last.
    private var taken = 0

    /// Forgets everything, to be filled again.
    func removeAll() {
        count = 0
        next = 0
        present = nil
    }

    /// Adds a receive, in the order in which the owners have their events.
    func add(_ number: Int32, of owner: Registration) {
        precondition(count < Self.capacity, "A batch that is full is made first.")
        unsafe entries.pointer[count] = clinux_transfer(
            bytes: bytes.pointer.baseAddress?.advanced(by: count * Self.distance),
            count: UInt32(Self.byteCount), descriptor: number)
        unsafe results.pointer[count] = clinux_not_made
        unsafe owners.pointer[count] = owner
        count += 1
    }

    /// Makes the receives by one call; 0, or minus the number of its error.
    func receive(through ring: TransferRing, _ system: SystemCalls) -> Int {
        unsafe ring.make(
            .receiveTogether, UnsafeMutableBufferPointer(rebasing: entries.pointer[..<count]),
            results: UnsafeMutableBufferPointer(rebasing: results.pointer[..<count]), system)
    }

    /// An event is about to be delivered, in the order of adding.
    @inline(__always)
    func begin(_ owner: Registration) {
        present = nil
        guard next < count, unsafe owners.pointer[next] == owner else { return }
        present = next
        next += 1
    }

    /// What was received for the event that is delivered now has not been taken.
    var isLeft: Bool {
        guard let position = present else { return false }
        return unsafe results.pointer[position] > 0
    }

    /// Takes what was received from this socket for the event that is delivered now; nil where
    /// nothing was.
    @inline(__always)
    func take(_ number: Int32) -> IOResult? {
        guard let position = present, unsafe entries.pointer[position].descriptor == number else {
            return nil
        }
        present = nil
        taken = position
        return unsafe IOResult(ofTransfer: results.pointer[position], endsAtZero: true)
    }

    /// Lends the bytes of what was taken last.
    @inline(__always)
    func lend(_ body: (Span<UInt8>) -> Void) {
        unsafe body(bytes(at: taken).span)
    }

    /// Takes the bytes that were received for an event which its owner will not have: for the next
    /// owner of the descriptor.
    package func takeBytes(of owner: Registration) -> [UInt8] {
        for position in (present ?? next)..<count where unsafe owners.pointer[position] == owner {
            defer { unsafe results.pointer[position] = clinux_not_made }
            return unsafe Array(bytes(at: position))
        }
        return []
    }

    /// The bytes that one receive has brought.
    @inline(__always)
    private func bytes(at position: Int) -> UnsafeBufferPointer<UInt8> {
        let start = position * Self.distance
        let count = unsafe max(0, Int(results.pointer[position]))
        return unsafe UnsafeBufferPointer(rebasing: bytes.pointer[start..<start + count])
    }
}

extension EventLoop {
    /// Receives once, up to 64 KiB, into memory that all connections of the loop share; `lend`
    /// then shows what came.
    ///
    /// A handler that receives here does so in each of its events with `.read`: what came may
    /// have been received together with others' before.
    @inline(__always)
    package func receive(from descriptor: borrowing Descriptor) -> IOResult {
        let result = input.receive(from: descriptor, system)
        guard case .bytes(let count) = result, input.leastBatchCount != nil,
            let slot = slot(of: delivered), slot.number == descriptor.rawValue
        else { return result }
        // A socket that has given little is received from ahead of its next event.
        let isSmall = count < ReceiveBatch.byteCount
        if slot.isReceivedAhead != isSmall { slots[Int(delivered.slot)].isReceivedAhead = isSmall }
        return result
    }

    /// Receives as above, and lends what came to `body`, which is called only for `.bytes`.
    package func receive(
        from descriptor: borrowing Descriptor, _ body: (Span<UInt8>) -> Void
    ) -> IOResult {
        let result = receive(from: descriptor)
        if case .bytes = result { input.lend(body) }
        return result
    }

    /// Reads in one call from those sockets with an event whose data the loop reads before it tells
    /// them, where they are enough for that.
    func receiveAhead(_ events: Range<Int>) {
        let batch = input.batch
        batch.removeAll()
        guard let least = input.leastBatchCount, events.count >= least, ring.failure == nil else {
            return
        }
        for position in events {
            let (readiness, owner) = event(at: position)
            guard readiness.contains(.read), readiness.isDisjoint(with: .over),
                let slot = slot(of: owner), slot.isReceivedAhead
            else { continue }
            batch.add(slot.number, of: owner)
        }
        guard batch.count >= max(least, 1) else { return batch.removeAll() }
        let areMade = ring.use(for: .receiveTogether, system) { batch.receive(through: $0, system) }
        if areMade { batchedReceiveCount += batch.count }
    }
}

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
