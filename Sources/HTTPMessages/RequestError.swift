/// Why a request is refused; its connection is closed after the answer.
@usableFromInline
package struct RequestError: Error, Sendable, Hashable {
    /// 400, 413, 414, 431, 501 or 505.
    package var status: Int
    /// Stable, for `/problems/<code>`.
    package var code: String
    /// A sentence for whoever reads the answer.
    package var detail: String

    /// An error of known parts.
    package init(status: Int, code: String, detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    /// A body above the limit; without one, of a length that no number holds.
    package static func bodyTooLarge(limit: Int?) -> RequestError {
        RequestError(
            status: 413, code: "body-too-large",
            detail: limit.map { "The body is larger than \($0) bytes." }
                ?? "The body is too large.")
    }

    static func malformed(_ detail: String) -> RequestError {
        RequestError(status: 400, code: "malformed-request", detail: detail)
    }
}
