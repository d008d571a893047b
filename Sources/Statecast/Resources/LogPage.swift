import HTTPMessages
import HTTPServer
import Sessions

/// The part of a session's log that a query asks for: `?after=17&limit=100&patch=1`.
struct LogPage {
    /// The entries of a page that asks for no number.
    private static let defaultLimit = 100
    /// The most entries of a page.
    private static let largestLimit = 1_000
    /// A page ends with the entry that makes it so large; the next one begins behind that.
    static let byteCount = 1 << 20

    /// The version behind which the page begins; nil for the oldest entry.
    let after: UInt64?
    let limit: Int
    let hasPatches: Bool

    /// - Parameter oldest: the version of the oldest state that the session has.
    init(_ query: Query, epoch: String, oldest: UInt64) throws(ProblemDetails) {
        if query.isMalformed {
            throw .badParameter("query", "percent-encoded UTF-8 is expected.")
        }
        if let text = query["after"] {
            let after = try Token.version(
                text, of: "after", epoch: epoch, oldest: oldest)
            guard after >= oldest else {
                throw .versionGone(oldest: oldest)
            }
            self.after = after
        } else {
            after = nil
        }
        limit = try query["limit"].map(Self.limit) ?? Self.defaultLimit
        hasPatches = try query["patch"].map(Self.flag) ?? false
    }

    private static func limit(_ text: String) throws(ProblemDetails) -> Int {
        guard let limit = Int(text), (1...largestLimit).contains(limit) else {
            throw .badParameter("limit", "a number from 1 to \(largestLimit) is expected.")
        }
        return limit
    }

    private static func flag(_ text: String) throws(ProblemDetails) -> Bool {
        guard text == "0" || text == "1" else {
            throw .badParameter("patch", "0 or 1 is expected.")
        }
        return text == "1"
    }

    /// The query of the page behind an entry.
    func next(after version: UInt64, epoch: String) -> String {
        "after=\(Token(epoch: epoch, version: version))&limit=\(limit)"
            + (hasPatches ? "&patch=1" : "")
    }
}
