internal import Bytes
package import HTTPMessages

/// The origins whose pages may read a server's answers, and the fields by which their browsers learn
/// so (Fetch Standard §3.3): made once for all answers.
///
///     Access-Control-Allow-Origin: https://app.example
///     Access-Control-Allow-Credentials: true
///     Access-Control-Expose-Headers: ETag, Location
///     Cross-Origin-Resource-Policy: cross-origin
package struct OriginSharing: Sendable {
    /// The number of origins that can be listed at most.
    package static let originLimit = 250
    /// The field that has browsers keep an answer from pages of other origins, whatever loads it.
    static let resourcePolicy = "Cross-Origin-Resource-Policy"

    /// Nil for all origins.
    private let origins: [[UInt8]]?
    /// The lines of an answer by the number of the request's origin.
    private let lines: [[UInt8]]

    /// Shares answers with the pages of these origins.
    ///
    /// - Parameters:
    ///   - origins: as browsers write them, `https://app.example`; nil for all, except the opaque
    ///     origin `null`.
    ///   - allowsCredentials: a page may have its browser send cookies with a request, and read
    ///     the answer.
    ///   - fields: the names of the fields that a page may read besides those that every page may.
    package init(_ origins: [String]?, allowsCredentials: Bool, exposing fields: String) {
        precondition(
            origins?.count ?? 0 <= Self.originLimit, "A list of origins is numbered in a byte.")
        precondition(
            origins != nil || !allowsCredentials, "Credentials are for origins that are listed.")
        self.origins = origins.map { $0.map { Array($0.utf8) } }
        let unlisted = "\(Self.resourcePolicy): same-origin\r\n"
        let listed = (origins ?? ["*"]).map { origin in
            """
            Access-Control-Allow-Origin: \(origin)\r
            \(allowsCredentials ? "Access-Control-Allow-Credentials: true\r\n" : "")\
            Access-Control-Expose-Headers: \(fields)\r
            \(Self.resourcePolicy): cross-origin\r\n
            """
        }
        lines = (["", unlisted] + listed).map { Array($0.utf8) }
    }

    /// The number of the origins that answers differ by.
    var originCount: Int { lines.count }

    /// The lines of an answer to a request from this origin, each with its end.
    func lines(for origin: RequestOrigin) -> [UInt8] {
        precondition(lines.indices.contains(Int(origin.number)), "The origin is of this list.")
        return lines[Int(origin.number)]
    }

    /// The pages of the origin that a request names may read its answer. The origin `null` stands
    /// for any page in a sandbox, and is never listed.
    package func isListed(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        origin(of: head, in: bytes) != .unlisted
    }

    /// The origin of a request.
    func origin(of head: RequestHead, in bytes: Span<UInt8>) -> RequestOrigin {
        guard let value = head.value(.origin) else { return .unlisted }
        return origin(bytes.extracting(value.range))
    }

    /// The origin of a request that was refused before it was understood: of the first line that
    /// names one.
    func originOfRefused(_ bytes: Span<UInt8>) -> RequestOrigin {
        let lineFeed = UInt8(ascii: "\n")
        let lines = [UInt8](copying: bytes).split(
            separator: lineFeed, omittingEmptySubsequences: false)
        for line in lines {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if line.isEmpty { break }
            let start = line.prefix(Self.fieldStart.utf8.count)
            if String(decoding: start, as: UTF8.self).lowercased() == Self.fieldStart {
                let value = Array(line.dropFirst(start.count).drop { $0 == UInt8(ascii: " ") })
                return origin(value.span)
            }
        }
        return .unlisted
    }

    private static let fieldStart = "origin:"
    private static let opaque = Array("null".utf8)

    private func origin(_ value: Span<UInt8>) -> RequestOrigin {
        guard let origins else {
            return value.elementsEqual(Self.opaque.span) ? .unlisted : .listed(0)
        }
        for index in origins.indices {
            let listed = origins[index]
            if value.elementsEqual(listed.span) { return .listed(index) }
        }
        return .unlisted
    }
}

/// The origin of a request's page, as far as answers differ by it: one byte, which a connection
/// remembers until the answer.
struct RequestOrigin: Sendable, Hashable, BitwiseCopyable {
    let number: UInt8

    /// The server shares its answers with no origin, so that none differs.
    static let unshared = RequestOrigin(number: 0)
    /// The request names no origin, or one that is not listed.
    static let unlisted = RequestOrigin(number: 1)

    /// The listed origin of this index.
    static func listed(_ index: Int) -> RequestOrigin {
        precondition((0..<OriginSharing.originLimit).contains(index), "A list of origins is short.")
        return RequestOrigin(number: UInt8(index) + 2)
    }
}
