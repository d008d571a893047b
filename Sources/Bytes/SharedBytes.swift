package import Synchronization

/// Immutable bytes that many write queues hold by reference: one allocation, made once.
///
/// Large ones are counted as long as one holder is left: see `largeByteCount`.
@usableFromInline
package struct SharedBytes: Sendable {
    /// From this size on bytes are counted by themselves, and not by those that hold them.
    @usableFromInline static var leastLargeByteCount: Int { 16 * 1024 }

    /// One pointer in either case: queues hold very many of these.
    @usableFromInline
    enum Storage: Sendable {
        case small([UInt8])
        case large(LargeBytes)
    }

    @usableFromInline var storage: Storage

    /// The bytes; their `span` is free to read.
    @inlinable
    package var bytes: [UInt8] {
        switch storage {
        case .small(let bytes): bytes
        case .large(let large): large.bytes
        }
    }

    /// Takes over an array without copying it. Spare capacity stays allocated as long as it lives.
    @inlinable
    package init(_ bytes: [UInt8]) {
        storage = bytes.count < Self.leastLargeByteCount ? .small(bytes) : .large(LargeBytes(bytes))
    }

    /// Copies bytes into an allocation of exactly their size.
    package init(copying span: Span<UInt8>) {
        self.init([UInt8](copying: span))
    }

    /// The bytes of all large ones of the process, each counted once.
    package static var largeByteCount: Int { LargeBytes.total.load(ordering: .relaxed) }

    @inlinable
    package var count: Int {
        bytes.count
    }

    @inlinable
    package var isEmpty: Bool {
        bytes.isEmpty
    }

    /// The number of bytes that their holders have to count into a `MemoryBudget`: none of large
    /// ones, which count by themselves.
    @inlinable
    package var uncountedByteCount: Int {
        if case .small(let bytes) = storage { bytes.count } else { 0 }
    }

    /// Large bytes, as long as one holder of them is left; nil for small ones.
    package var large: LargeBytes? {
        if case .large(let large) = storage { large } else { nil }
    }

    /// Appends to bytes that have one holder.
    package mutating func append(copying more: Span<UInt8>) {
        var bytes = bytes
        storage = .small([])
        bytes.append(copying: more)
        storage = .small(bytes)
    }
}

/// Large bytes, which are counted for as long as a queue or a cache holds them.
@usableFromInline
package final class LargeBytes: Sendable {
    /// The bytes of all large ones of the process.
    package static let total = Atomic<Int>(0)

    @usableFromInline let bytes: [UInt8]

    @usableFromInline
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        Self.total.add(bytes.count, ordering: .relaxed)
    }

    deinit {
        Self.total.subtract(bytes.count, ordering: .relaxed)
    }
}
