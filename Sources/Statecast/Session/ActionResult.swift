/// The result of one action of a batch whose actions were all taken.
enum ActionResult: Sendable, Hashable {
    /// It became entries, mostly one, up to a version.
    case entries(last: UInt64, count: UInt64, changed: Bool)
    /// A middleware put it off.
    case delayed
    /// A middleware dropped it.
    case dropped

    init(_ outcome: Outcome) {
        switch outcome {
        case .accepted(let first, let last, let changed):
            self = .entries(last: last, count: last - first + 1, changed: changed)
        case .dropped: self = .dropped
        case .delayed: self = .delayed
        case .rejected, .refused: preconditionFailure("A refusal is answered by its problem.")
        case .queued: preconditionFailure("A request finds its session's store at rest.")
        }
    }

    /// Appends `{"version":43,"changed":true}`, or that there is no entry.
    func write(to output: inout [UInt8]) {
        switch self {
        case .entries(let last, _, let changed):
            output.append(contentsOf: "{\"version\":".utf8)
            Token.append(last, to: &output)
            output.append(contentsOf: ",\"changed\":\(changed)}".utf8)
        case .delayed: output.append(contentsOf: "{\"changed\":false,\"delayed\":true}".utf8)
        case .dropped: output.append(contentsOf: "{\"changed\":false,\"dropped\":true}".utf8)
        }
    }
}
