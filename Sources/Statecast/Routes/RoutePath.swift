import Bytes
import HTTPMessages
import Sessions

/// The path of a route: segments, of which some are parameters.
///
///     /hooks/{name}      matches /hooks/mail, not /hooks, /hooks/ or /hooks/mail/more
struct RoutePath: Sendable {
    /// One segment.
    private enum Segment: Sendable {
        case text([UInt8])
        case parameter(String)
    }

    private static let segmentLimit = 32

    /// As its author wrote it.
    let text: String
    private let segments: [Segment]

    /// Nil where the text is no path.
    init?(_ text: String) {
        guard text.first == "/" else { return nil }
        let parts =
            text == "/"
            ? [] : text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= Self.segmentLimit else { return nil }
        var segments: [Segment] = []
        var names: Set<String> = []
        for part in parts {
            guard let segment = Self.segment(part) else { return nil }
            if case .parameter(let name) = segment, !names.insert(name).inserted { return nil }
            segments.append(segment)
        }
        self.text = text
        self.segments = segments
    }

    private static func segment(_ part: Substring) -> Segment? {
        if part.first == "{", part.last == "}" {
            let name = part.dropFirst().dropLast()
            guard !name.isEmpty, name.utf8.allSatisfy(SessionID.isAllowed) else { return nil }
            return .parameter(String(name))
        }
        guard !part.isEmpty, part != ".", part != "..", part.utf8.allSatisfy(SessionID.isAllowed)
        else { return nil }
        return .text(Array(part.utf8))
    }

    /// The path with nameless parameters, `/hooks/{}`: two of one shape match the same paths.
    var shape: String {
        segments.isEmpty
            ? "/"
            : segments.map { segment in
                switch segment {
                case .text(let text): "/" + String(decoding: text, as: UTF8.self)
                case .parameter: "/{}"
                }
            }.joined()
    }

    /// The order in which paths are tried: text comes before a parameter, from the left. Paths of
    /// different lengths, which no request shares, are ordered by these.
    func precedes(_ other: RoutePath) -> Bool {
        guard segments.count == other.segments.count else {
            return segments.count < other.segments.count
        }
        for (own, others) in zip(segments, other.segments) {
            switch (own, others) {
            case (.text, .parameter): return true
            case (.parameter, .text): return false
            case (.text, .text), (.parameter, .parameter): continue
            }
        }
        return false
    }

    /// The path of a request has these segments.
    func matches(_ path: Slice, in bytes: Span<UInt8>) -> Bool {
        if segments.isEmpty { return path.length <= 1 }
        var rest = path.range
        for segment in segments {
            guard let part = Self.removeSegment(from: &rest, in: bytes) else { return false }
            guard case .text(let text) = segment else { continue }
            guard bytes.extracting(part).elementsEqual(text.span) else { return false }
        }
        return rest.isEmpty
    }

    /// The place of an application is one of its paths: `/list`, or nothing for the root.
    func matches(_ mount: String) -> Bool {
        let bytes = Array(mount.utf8)
        return matches(Slice(0..<bytes.count), in: bytes.span)
    }

    /// The values of the parameters in a path that matches; nil where one is no text, or would be
    /// more or less than one segment: `..`, or something with a slash or a zero byte in it.
    func parameters(of path: Slice, in bytes: Span<UInt8>) -> [String: String]? {
        var values: [String: String] = [:]
        var rest = path.range
        for segment in segments {
            guard let part = Self.removeSegment(from: &rest, in: bytes) else { return nil }
            guard case .parameter(let name) = segment else { continue }
            guard let value = PercentCoding.decoded(Slice(part).array(in: bytes)), value != ".",
                value != "..", !value.utf8.contains(UInt8(ascii: "/")), !value.utf8.contains(0)
            else { return nil }
            values[name] = value
        }
        return values
    }

    /// Takes off a slash and the segment behind it.
    private static func removeSegment(
        from rest: inout Range<Int>, in bytes: Span<UInt8>
    ) -> Range<Int>? {
        guard let slash = rest.first, bytes[slash] == UInt8(ascii: "/") else { return nil }
        var end = slash + 1
        while end < rest.upperBound, bytes[end] != UInt8(ascii: "/") { end += 1 }
        guard end > slash + 1 else { return nil }
        rest = end..<rest.upperBound
        return slash + 1..<end
    }
}
