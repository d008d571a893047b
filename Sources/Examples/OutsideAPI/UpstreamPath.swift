import Bytes

/// A path and a query of an outside API, made of plain text.
///
///     try UpstreamPath("episodes", id, "comments")               // /episodes/e7/comments
///     try UpstreamPath("places", query: ["query": "tin can"])    // /places?query=tin%20can
///
/// Every segment and value is percent-encoded here, whatever it holds, so that none of them can
/// become another path than the one that is meant.
package struct UpstreamPath: Hashable, Sendable {
    /// A segment that no encoding makes harmless (RFC 3986 §3.3): it is empty, `.` or `..`.
    package struct InvalidSegment: Error, Hashable, Sendable {
        package let segment: String
    }

    /// The path and the query, percent-encoded.
    let text: String

    /// A path of these segments, with a slash before each.
    package init(
        _ segments: String..., query: KeyValuePairs<String, String> = [:]
    ) throws(InvalidSegment) {
        var text = ""
        for segment in segments {
            guard !["", ".", ".."].contains(segment) else {
                throw InvalidSegment(segment: segment)
            }
            text += "/" + Self.escaped(segment)
        }
        for (index, parameter) in query.enumerated() {
            text += index == 0 ? "?" : "&"
            text += "\(Self.escaped(parameter.key))=\(Self.escaped(parameter.value))"
        }
        self.text = text
    }

    /// A text in which all but the unreserved characters is percent-encoded (RFC 3986 §2.3).
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                escaped.append(Unicode.Scalar(byte))
            default:
                escaped.append("%")
                escaped.append(Unicode.Scalar(Hexadecimal.capitalDigit(byte >> 4)))
                escaped.append(Unicode.Scalar(Hexadecimal.capitalDigit(byte & 15)))
            }
        }
        return String(escaped)
    }
}
