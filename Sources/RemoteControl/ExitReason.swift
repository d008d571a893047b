import ClientWire

/// Why a command ends, as its exit status: scripts tell by it what to do.
///
/// Those of sysexits.h where it has one.
enum ExitReason: Int32, CaseIterable {
    case rejected = 10
    case changedMeanwhile = 11
    case notThere = 12
    case sessionLost = 13
    case locked = 14
    case outcomeUnknown = 15
    case usage = 64
    case badAction = 65
    case noFile = 66
    case unreachable = 69
    case outputLost = 74
    case notNow = 75
    case notStatecast = 76
    case noAccess = 77
    case timedOut = 124
    case interrupted = 130

    init(_ problem: MirrorProblem) {
        self =
            switch (problem.status, problem.code) {
            case _ where problem.isRejection: .rejected
            case (_, "session-not-found"), (_, "session-ended"): .sessionLost
            case (_, "outcome-unknown"): .outcomeUnknown
            case (_, "no-file"): .noFile
            case (_, "output-lost"): .outputLost
            case (_, "bad-parameter"): .usage
            case (_, "not-connected"), (_, "bad-url"): .unreachable
            case (0, "no-answer"): .timedOut
            case (_, "not-http"), (_, "unreadable-state"), (300..<400, _): .notStatecast
            case (401, _), (403, _): .noAccess
            case (404, _), (410, _): .notThere
            case (412, _): .changedMeanwhile
            case (423, _): .locked
            case (409, "replay"), (409, "chain-cut"): .rejected
            case (408, _), (409, _), (429, _), (502...504, _): .notNow
            case (400..<500, _): .badAction
            default: .notStatecast
            }
    }

    /// What the help says of it.
    var summary: String {
        switch self {
        case .rejected: "the application has rejected the action"
        case .changedMeanwhile: "the session is not at the expected version"
        case .notThere: "there is no such part, version or application"
        case .sessionLost: "there is no such session, or it has ended"
        case .locked: "the session is frozen, or cannot be read"
        case .outcomeUnknown: "it is not known whether the action was kept; the same key asks"
        case .usage: "the command line is wrong"
        case .outputLost: "what was to be written is lost"
        case .badAction: "the action is none: no JSON, no such type, a wrong payload"
        case .noFile: "a file cannot be read"
        case .unreachable: "there is no server"
        case .notNow: "the server could not do it before the time was over"
        case .notStatecast: "what answers does not speak the protocol"
        case .noAccess: "who asks may not do this, or is not known"
        case .timedOut: "no answer came in time"
        case .interrupted: "interrupted from the keyboard"
        }
    }

    /// The table that the help of each command ends with.
    static let table =
        (["Exit status: 0 when it is done;"]
        + allCases.map { "  \($0.rawValue)\($0.rawValue < 100 ? " " : "")  \($0.summary)" })
        .joined(separator: "\n")
}
