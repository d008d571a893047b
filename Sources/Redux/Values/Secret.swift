import Synchronization

/// A value that is used and never shown: no encoder, description, dump or mirror tells it.
///
/// It decodes from what it wraps and encodes as `"<redacted>"`: a log, a recording or a stream
/// that it gets into holds nothing. A state that is set by hand keeps the secret where it reads so.
public struct Secret<Value: Sendable>: Sendable {
    /// Stands in its place wherever it would be shown.
    public static var redacted: String { "<redacted>" }

    /// The value itself, for the one who uses it.
    public var value: Value {
        if isLeftOut { SecretReads.noted?.note() }
        return hidden
    }

    private let hidden: Value
    /// What this was read from, a recording or a state of before, has `"<redacted>"` in its place.
    private let isLeftOut: Bool

    /// Hides a value.
    public init(_ value: Value) { (hidden, isLeftOut) = (value, false) }
}

/// Notes that a secret is read which a recording has left out, while its actions are reduced again.
package final class SecretReads: Sendable {
    @TaskLocal fileprivate static var noted: SecretReads?
    private let hasRead = Atomic(false)

    package init() {}

    fileprivate func note() { hasRead.store(true, ordering: .relaxed) }

    /// Secrets that are decoded in `body` are those of a recording; notes where one of them is read.
    package func noting<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Self.$noted.withValue(self) {
            Swift.Result { () throws(Failure) in try body() }
        }.get()
    }

    /// One was read since this was asked last.
    package func take() -> Bool { hasRead.exchange(false, ordering: .relaxed) }
}

extension Secret<String> {
    /// A text is the one that is hidden, a token that a client sends for instance. Every byte is compared,
    /// whichever differs first: the time tells no more than the length. No text matches a secret that was
    /// read as `"<redacted>"`.
    public func matches(_ text: String) -> Bool {
        let value = value
        guard !isLeftOut, value.utf8.count == text.utf8.count else { return false }
        return zip(value.utf8, text.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Secret: Equatable where Value: Equatable {
    /// Both hide equal values.
    public static func == (left: Secret, right: Secret) -> Bool { left.value == right.value }
}

extension Secret: Hashable where Value: Hashable {
    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

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
        hidden = try kept ?? container.decode(Value.self)
        let isText = Value.self == String.self || SecretReads.noted != nil
        isLeftOut =
            kept == nil && isText && (try? container.decode(String.self)) == Self.redacted
    }
}

/// An encoder that treats secrets in a way of its own.
package protocol SecretWriting: Encoder {
    /// Writes what stands for a secret.
    func write<Value>(_ secret: Secret<Value>) throws
}
