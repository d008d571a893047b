import Bytes

/// The parameters of a query, `a=1&b=two%20words`; a plus sign is a plus sign (RFC 3986 §3.4).
package struct Query: Sendable, Hashable {
    /// A name and its value, decoded; the value is empty where there is no equals sign.
    package struct Item: Sendable, Hashable {
        /// Decoded.
        package var name: String
        /// Decoded.
        package var value: String
    }

    /// In their order.
    package private(set) var items: [Item] = []
    /// Some part decodes to bytes that are no UTF-8.
    package private(set) var isMalformed = false

    /// Reads the query of a request head.
    package init(_ slice: Slice, in bytes: Span<UInt8>) {
        guard !slice.isEmpty else { return }
        var start = slice.range.lowerBound
        while start < slice.range.upperBound {
            var equals: Int?
            var end = start
            while end < slice.range.upperBound, bytes[end] != UInt8(ascii: "&") {
                if equals == nil, bytes[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            if end > start { append(start..<(equals ?? end), equals.map { $0 + 1..<end }, bytes) }
            start = end + 1
        }
    }

    private mutating func append(_ name: Range<Int>, _ value: Range<Int>?, _ bytes: Span<UInt8>) {
        let name = PercentCoding.decoded(Slice(name), in: bytes)
        let value = value.map { PercentCoding.decoded(Slice($0), in: bytes) } ?? ""
        guard let name, let value else {
            isMalformed = true
            return
        }
        items.append(Item(name: name, value: value))
    }

    /// The first value of a name.
    package subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }
}
