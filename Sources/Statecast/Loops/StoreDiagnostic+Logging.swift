import Logging
import Redux

extension StoreDiagnostic {
    /// The kinds, as the log names them.
    enum Kind: String {
        case chainCut = "chain-cut"
        case effectFailed = "effect-failed"
        case effectsExhausted = "effects-exhausted"
        case effectRejected = "effect-rejected"
        case causedActionRejected = "follow-up-rejected"
        case causedActionLost = "follow-up-lost"
        case impureReduction = "impure-reduction"
        case slowReduction = "slow-reduction"
        case largeState = "large-state"
        case workNamedTwice = "work-named-twice"
        case workExhausted = "work-exhausted"
        case workFailed = "work-failed"
        case alarmRepeats = "alarm-repeats"
        /// Reported by the server, not by a store: `SessionOptions.forgetting` has thrown.
        case notForgotten = "not-forgotten"
        /// Reported by the server: the application says no to what becomes of its session.
        case factRejected = "fact-rejected"

        /// The level of its lines: a bug of the application is an error, and so is data that stays
        /// although a client asked for its end.
        var level: Logger.Level {
            switch self {
            case .chainCut, .impureReduction, .notForgotten, .workNamedTwice: .error
            case .effectFailed, .effectsExhausted, .causedActionLost, .slowReduction, .largeState,
                .workExhausted, .workFailed, .alarmRepeats:
                .warning
            case .effectRejected, .causedActionRejected, .factRejected: .notice
            }
        }
    }

    var kind: Kind {
        switch self {
        case .chainCut: .chainCut
        case .effectFailed: .effectFailed
        case .effectsExhausted: .effectsExhausted
        case .effectRejected: .effectRejected
        case .causedActionRejected: .causedActionRejected
        case .causedActionLost: .causedActionLost
        case .impureReduction: .impureReduction
        case .slowReduction: .slowReduction
        case .largeState: .largeState
        case .work(.namedTwice): .workNamedTwice
        case .work(.exhausted): .workExhausted
        case .work(.failed), .work(.problemReported): .workFailed
        case .work(.alarmRepeats): .alarmRepeats
        }
    }

    /// The event in words, for an operator.
    var sentence: String {
        switch self {
        case .chainCut(let causes, let limit):
            let newest = causes.suffix(10).map { "#\($0)" }.joined(separator: " ")
            return "An action caused by \(newest) was cut off: at most \(limit) follow."
        case .effectFailed(let name, let error):
            return "The effect \(name) has failed: \(error.prefix(1_000))"
        case .effectsExhausted(let name, let limit):
            return "The effect \(name) was not started: there are \(limit) already."
        case .effectRejected(let name, let rejection):
            return "What the effect \(name) reported was rejected with \(rejection.code)."
        case .causedActionRejected(let cause, let rejection):
            return "What followed from #\(cause) was rejected with \(rejection.code)."
        case .causedActionLost(let cause):
            return "What followed from #\(cause) could not be kept, and is lost."
        case .impureReduction(let version, let action, let differences):
            let lines = differences.joined(separator: "; ")
            return "The reducer is not pure: \(action) at #\(version), done twice, differs: "
                + lines
        case .slowReduction(let version, let action, let duration, let budget):
            return "\(action) at #\(version) took \(duration), above the budget of \(budget)."
        case .largeState(let version, let byteCount, let budget):
            return "The state at #\(version) has grown to \(byteCount) bytes, above the budget of "
                + "\(budget)."
        case .work(let diagnostic): return diagnostic.sentence
        }
    }
}

extension WorkDiagnostic {
    fileprivate var sentence: String {
        switch self {
        case .namedTwice(let name):
            "Two works of a state have the name \(name): the first counts, give the other its own."
        case .exhausted(let limit): "\(limit) works are running: others wait."
        case .failed(let name, let error), .problemReported(let name, let error):
            "The work \(name) has failed: \(error.prefix(1_000))"
        case .alarmRepeats(let name, let count):
            "The alarm \(name) has come \(count) times, and the state still wants it."
        }
    }
}
