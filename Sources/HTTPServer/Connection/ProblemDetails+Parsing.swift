internal import HTTPMessages
internal import HTTPTypes

extension ProblemDetails {
    /// A request that was refused before it was understood.
    init(_ error: RequestError) {
        self.init(.init(code: error.status), code: error.code, detail: error.detail)
    }

    /// An expectation other than `100-continue` (RFC 9110 §10.1.1).
    static let unknownExpectation = ProblemDetails(
        .expectationFailed, code: "unknown-expectation",
        detail: "Only 100-continue can be expected.")
}
