internal import HTTPMessages

/// The fields that every answer of a loop has, as they are written: made once a second, when Date
/// changes (RFC 9110 §6.6.1), and then once for each origin that answers differ by.
final class DatedLines {
    private let fixed: [UInt8]
    private let sharing: OriginSharing?
    private var second: Int64 = -1
    private var plain: [UInt8] = []
    /// By the origin's number; empty until the first answer of the second.
    private var shared: [[UInt8]]

    init(_ fields: [(name: String, value: String)], _ sharing: OriginSharing?) {
        // What an origin may load depends on the origin, where some may.
        let fixed = fields.filter { sharing == nil || $0.name != OriginSharing.resourcePolicy }
        self.fixed = fixed.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
        self.sharing = sharing
        shared = Array(repeating: [], count: sharing?.originCount ?? 0)
    }

    /// The lines of an answer that is made in this second, in answer to a request of this origin.
    func lines(for origin: RequestOrigin, at second: Int64) -> [UInt8] {
        if second != self.second {
            self.second = second
            let text = HTTPDate.format(secondsSince1970: Int(second))
            plain = [UInt8]("Date: \(text)\r\n".utf8) + fixed
            for index in shared.indices { shared[index] = [] }
        }
        guard let sharing, origin != .unshared else { return plain }
        let index = Int(origin.number)
        precondition(shared.indices.contains(index), "The origin is one of the server's.")
        if shared[index].isEmpty { shared[index] = plain + sharing.lines(for: origin) }
        return shared[index]
    }
}
