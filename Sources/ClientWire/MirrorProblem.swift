import HTTPMessages
import StateCoding

/// What stands in the way of a request: the server's no, or the network's.
public struct MirrorProblem: Error, Sendable, Hashable {
    /// The status of the answer; 0 where none came.
    public var status: Int
    /// Stable and in kebab case: one of the protocol's (the article *Problems*), or of the application's
    /// rejections. Of the client itself: `no-answer`, `not-connected`, `not-http`, `stopped`, `too-many-pending`,
    /// `not-encodable`, `names-what-is-not`, `unreadable-state`.
    public var code: String
    /// A sentence for people.
    public var detail: String
    /// The application's reducer, or what stands around it, has said no.
    public var isRejection = false
    /// The places in the action that are at fault, as JSON Pointers: `/payload/name`.
    public var pointers: [String] = []
    /// The time to wait before the request is sent again, where the server names one.
    package var pause: Duration?

    package init(_ code: String, _ detail: String, status: Int = 0) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    /// It is not known whether an action was kept at an attempt before the one that had this answer.
    package init(unknownFor problem: MirrorProblem) {
        self.init("outcome-unknown", problem.detail, status: problem.status)
    }

    /// What an answer that is no success says (RFC 9457).
    package init(_ answer: ClientAnswer) {
        self.init("not-http", "The answer has the status \(answer.status).", status: answer.status)
        // A date is one of the clock that has dated the answer (RFC 9110 §10.2.3).
        pause = answer.fields["retry-after"].flatMap { text in
            let dates = [text, answer.fields["date"] ?? ""].compactMap { HTTPDate.parse($0) }
            return Int(text) ?? (dates.count == 2 ? dates[0] - dates[1] : nil)
        }.map { .seconds(min(max(0, $0), 60)) }
        guard let root = try? JSONValue(parsing: answer.body.span),
            let type = root["type"]?.string
        else { return }
        isRejection = type.contains("/problems/rejected/")
        code = type.split(separator: "/").last.map(String.init) ?? code
        detail = root["detail"]?.string ?? root["title"]?.string ?? detail
        if let known = root["known"]?.elements?.compactMap(\.string), !known.isEmpty {
            detail += " Known: \(known.joined(separator: ", "))."
        }
        let errors = root["errors"]?.elements ?? []
        pointers = (errors + [root]).compactMap { $0["pointer"]?.string }
    }

    package init(_ result: Result<ClientAnswer, MirrorProblem>) {
        switch result {
        case .success(let answer): self.init(answer)
        case .failure(let problem): self = problem
        }
    }

    /// Nothing has come for too long.
    package static var silence: MirrorProblem {
        MirrorProblem("no-answer", "The server has not said anything for too long.")
    }

    /// The time after which the same is asked once more: a random part of a pause that doubles with each
    /// failure in a row, so that many clients do not come back at once; never less than the server asks for.
    ///
    /// - Parameter least: of the pause after a first failure, in milliseconds.
    package func delay(
        after failures: Int, atLeast least: Int = 500,
        using random: inout some RandomNumberGenerator
    ) -> Duration {
        let ceiling = min(20_000, min(max(1, least), 20_000) << min(failures, 10))
        let pause = Int.random(in: ceiling / 4...ceiling, using: &random)
        return max(.milliseconds(pause), self.pause ?? .zero)
    }

    /// What a client does about it.
    package enum Reaction: Hashable {
        /// Sends the same once more, with the same key, after a while.
        case again
        /// Gives the request up.
        case giveUp
        /// The session is gone: nothing goes on by itself.
        case lose
    }

    package var reaction: Reaction {
        if isRejection { return .giveUp }
        return switch (status, code) {
        case (_, "session-not-found"), (_, "session-ended"): .lose
        case (0, "no-answer"), (0, "not-connected"), (408, _), (429, _), (502...504, _): .again
        case (_, "too-many-effects"), (_, "too-many-queued"), (_, "version-not-reached"): .again
        default: .giveUp
        }
    }

    /// The server may have kept the action: only an answer with a code of the server's says no.
    package var leavesDoubt: Bool { ["no-answer", "not-http", "outcome-unknown"].contains(code) }

    /// The server has looked for the key, and says no all the same: it has kept nothing under it.
    package var speaksOfKey: Bool { isRejection || code == "idempotency-key-reused" }

    /// The server says no to what was sent, which another action beside it may have been at fault for.
    package var isOfActions: Bool { isRejection || [400, 413, 422].contains(status) }

    /// The server's word that it is the client's fault, and not that of a build, a journal or a proxy.
    var isOfClient: Bool {
        (400..<500).contains(status) && status != 423 && code != "not-http"
    }
}

/// How a mirror stands to its session.
public enum MirrorStatus: Sendable, Hashable {
    /// Nothing has come yet.
    case connecting
    /// What the server shows comes as it changes.
    case live
    /// The connection is lost or refused for now, and is being tried again.
    case away(MirrorProblem)
    /// The server does not let this client watch; `resume()` asks again.
    case refused(MirrorProblem)
    /// The session is gone. It is not made anew by itself: `make()` does that.
    case lost(MirrorProblem)

    /// Nothing goes on by itself.
    package var isStopped: Bool {
        switch self {
        case .refused, .lost: true
        case .connecting, .live, .away: false
        }
    }
}
