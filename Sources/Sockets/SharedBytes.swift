internal import Synchronization

/// Immutable bytes that many write queues hold by reference: one allocation, made once.
///
/// Large ones are counted as long as one holder is left: see `MemoryBudget`.
public struct SharedBytes: Sendable {
    /// From this size on bytes are counted by themselves, and not by those that hold them.
    static let largeByteCount = 16 * 1024

    /// The bytes; their `span` is free to read.
    public private(set) var bytes: [UInt8]
    private var charge: LargeCharge?

    /// Takes over an array without copying it. Spare capacity stays allocated as long as it lives.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.count >= Self.largeByteCount { charge = LargeCharge(bytes.count) }
    }

    /// Copies bytes into an allocation of exactly their size.
    public init(copying span: Span<UInt8>) {
        self.init(unsafe span.withUnsafeBufferPointer { unsafe [UInt8]($0) })
    }

    /// How many bytes there are.
    public var count: Int {
        bytes.count
    }

    /// Whether there are none.
    public var isEmpty: Bool {
        bytes.isEmpty
    }

    /// How many of the bytes their holders have to count into a `MemoryBudget`: none of large ones,
    /// which count by themselves.
    public var uncountedByteCount: Int { charge == nil ? count : 0 }

    /// Appends to an array that has one holder.
    mutating func append(copying more: Span<UInt8>) {
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

/// Counts large bytes for as long as it lives.
final class LargeCharge: Sendable {
    /// The bytes of all charges of the process.
    static let total = Atomic<Int>(0)

    private let byteCount: Int

    init(_ byteCount: Int) {
        self.byteCount = byteCount
        Self.total.add(byteCount, ordering: .relaxed)
    }

    deinit {
        Self.total.subtract(byteCount, ordering: .relaxed)
    }
}
