/// Immutable bytes that many write queues hold by reference: one allocation, made once.
public struct SharedBytes: Sendable {
    /// The bytes; their `span` is free to read.
    public let bytes: [UInt8]

    /// Takes over an array without copying it. Spare capacity stays allocated as long as it lives.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Copies bytes into an allocation of exactly their size.
    public init(copying span: Span<UInt8>) {
        bytes = unsafe span.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    /// How many bytes there are.
    public var count: Int {
        bytes.count
    }

    /// Whether there are none.
    public var isEmpty: Bool {
        bytes.isEmpty
    }
}
