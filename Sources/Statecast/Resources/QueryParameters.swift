import Bytes
import HTTPMessages
import HTTPServer
import Sessions
import StateCoding

extension Query {
    /// Throws where the query is not percent-encoded UTF-8.
    func check() throws(ProblemDetails) {
        if isMalformed { throw .badParameter("query", "percent-encoded UTF-8 is expected.") }
    }

    /// A parameter's value; nil where it is not there. Throws where that is none.
    ///
    /// - Parameter expected: says what is: `0 or 1`.
    func value<Value>(
        _ name: String, _ expected: String, _ read: (String) -> Value?
    ) throws(ProblemDetails) -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = read(text) else { throw .badParameter(name, "\(expected) is expected.") }
        return value
    }

    /// The parameter `limit`: the most items of a page.
    func limit() throws(ProblemDetails) -> Int {
        let limits = 1...1_000
        return try value("limit", "a number from 1 to \(limits.upperBound)") { text in
            Int(text).flatMap { limits.contains($0) ? $0 : nil }
        } ?? 100
    }

    /// The parameter `throttle`: so many milliseconds lie between two states at least; 0 where it is not
    /// there.
    func throttle() throws(ProblemDetails) -> UInt16 {
        let limits: ClosedRange<UInt16> = 1...60_000
        return try value(
            "throttle", "a number of milliseconds from 1 to \(limits.upperBound)"
        ) { text in
            UInt16(text).flatMap { limits.contains($0) ? $0 : nil }
        } ?? 0
    }

    /// A parameter is there, which has one value alone.
    func has(_ name: String, of value: String) throws(ProblemDetails) -> Bool {
        try self.value(name, value) { $0 == value ? true : nil } ?? false
    }
}

extension Token {
    /// The version that a parameter of a query names, `17` or the token of a session, `k3f9-17`; nil for
    /// a token of another epoch.
    static func version(
        _ text: String, of name: String, epoch: String
    ) throws(ProblemDetails) -> UInt64? {
        if let token = Token(text) { return token.epoch == epoch ? token.version : nil }
        guard let token = Token("e-\(text)") else {
            throw .badParameter(name, "a version or a token is expected.")
        }
        return token.version
    }
}

extension SessionLimits {
    /// The `wait` of a GET and the `settle` of a POST, seconds, a fraction allowed; throws where it is
    /// no number from 0 to the limit.
    func wait(_ text: String, of name: String) throws(ProblemDetails) -> Duration {
        let (limit, _) = waitDuration.components
        guard let seconds = Double(text), seconds >= 0, seconds <= Double(limit) else {
            throw .badParameter(name, "seconds from 0 to \(limit).")
        }
        return .seconds(seconds)
    }
}

extension Timestamp {
    /// `2026-11-21T09:30:00.123Z`; milliseconds where that is a million years away.
    var iso8601: String {
        CalendarDate(millisecondsSince1970: Int(milliseconds))?.description ?? "\(milliseconds)"
    }
}
