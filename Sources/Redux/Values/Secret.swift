/// A value that is used and never shown: no encoder, description, dump or mirror tells it.
///
/// It decodes from what it wraps and encodes as `"<redacted>"`: a log, a recording or a stream
/// that it gets into holds nothing. A state that is set by hand keeps the secret where it reads so.
public struct Secret<Value: Sendable>: Sendable {
    /// Stands in its place wherever it would be shown.
    public static var redacted: String { "<redacted>" }

    /// The value itself, for the one who uses it.
    public let value: Value

    /// Hides a value.
    public init(_ value: Value) {
        self.value = value
    }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<redacted>`
    public var description: String { Self.redacted }
    /// `<redacted>`
    public var debugDescription: String { Self.redacted }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Secret: Encodable {
    /// Encodes `"<redacted>"`.
    public func encode(to encoder: any Encoder) throws {
        if let writer = encoder as? any SecretWriting { return try writer.write(self) }
        var container = encoder.singleValueContainer()
        try container.encode(Self.redacted)
    }
}

extension Secret: Decodable where Value: Decodable {
    /// Decodes what it wraps.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let kept = try (decoder as? any ClientDecoder)?.keptSecret(as: Value.self)
        value = try kept ?? container.decode(Value.self)
    }
}

/// An encoder that treats secrets in a way of its own.
package protocol SecretWriting: Encoder {
    /// Writes what stands for a secret.
    func write<Value>(_ secret: Secret<Value>) throws
}
