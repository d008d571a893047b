import HTTPServer
import HTTPTypes
import Sessions

/// The reasons why a recording is not played, or a replay does not do what it is asked for.
enum ReplayRefusal {
    /// The body is no recording.
    case fault(RecordingFault)
    /// The recording is of another application, or of another version of this one.
    case foreign(detail: String)
    /// As many recordings are being read as may be.
    case tooManyReadings
    /// A replay takes no actions.
    case readOnly
    /// The session plays no recording.
    case noReplay

    /// What a client is told.
    var problem: ProblemDetails {
        switch self {
        case .fault(let fault):
            ProblemDetails(
                .unprocessableContent, code: "bad-recording",
                detail: "Line \(fault.line): \(fault.detail)",
                members: [
                    ("line", .number(fault.line)),
                    ("pointer", .text(String(fault.pointer.prefix(200)))),
                ])
        case .foreign(let detail):
            ProblemDetails(.unprocessableContent, code: "foreign-recording", detail: detail)
        case .tooManyReadings:
            ProblemDetails(
                .serviceUnavailable, code: "too-many-recordings",
                detail: "As many recordings are being read as may be.", retryAfterSeconds: 1)
        case .readOnly:
            ProblemDetails(
                .conflict, code: "replay",
                detail: "The session plays a recording: it takes no actions and no state.")
        case .noReplay:
            ProblemDetails(
                .notFound, code: "no-replay", detail: "The session plays no recording.")
        }
    }
}
