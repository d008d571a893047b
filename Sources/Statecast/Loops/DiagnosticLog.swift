import Logging
import Redux
import Sockets

/// Writes what the stores of one loop report into the server's log: of each kind a few lines a
/// while, then only how many more there were.
final class DiagnosticLog {
    /// The most lines of a kind that are written in one window.
    static let lineCount = 10
    /// The length of a window.
    static let windowDuration = Duration.seconds(10)

    private struct Window {
        var begin: Instant
        var lines = 0
        var passedOver = 0
    }

    private let logger: Logger
    private var windows: [StoreDiagnostic.Kind: Window] = [:]

    init(logger: Logger) {
        self.logger = logger
    }

    /// Writes a line, or counts it. `session` is `/counter/demo`.
    func write(_ diagnostic: StoreDiagnostic, of session: String, at now: Instant) {
        write(diagnostic.kind, diagnostic.sentence, of: session, at: now)
    }

    /// Writes a line of a kind, or counts it. The sentence is made only where it is written.
    func write(
        _ kind: StoreDiagnostic.Kind, _ sentence: @autoclosure () -> String, of session: String,
        at now: Instant
    ) {
        closeWindow(of: kind, at: now)
        var window = windows[kind] ?? Window(begin: now)
        if window.lines < Self.lineCount {
            window.lines += 1
            logger.log(
                level: kind.level, "\(sentence())",
                metadata: ["session": "\(session)", "kind": "\(kind.rawValue)"])
        } else {
            window.passedOver += 1
        }
        windows[kind] = window
    }

    /// Tells how many were passed over in the windows that have ended by now.
    func closeWindows(at now: Instant) {
        for kind in windows.keys { closeWindow(of: kind, at: now) }
    }

    private func closeWindow(of kind: StoreDiagnostic.Kind, at now: Instant) {
        guard let window = windows[kind],
            now >= window.begin.advanced(by: Self.windowDuration)
        else { return }
        windows[kind] = nil
        guard window.passedOver > 0 else { return }
        logger.log(
            level: kind.level, "and \(window.passedOver) more like this",
            metadata: ["kind": "\(kind.rawValue)"])
    }
}

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
        /// Reported by the server, not by a store: `Application.forget` has thrown.
        case notForgotten = "not-forgotten"

        /// The level of its lines: a bug of the application is an error, and so is data that stays
        /// although a client asked for its end.
        var level: Logger.Level {
            switch self {
            case .chainCut, .impureReduction, .notForgotten: .error
            case .effectFailed, .effectsExhausted, .causedActionLost, .slowReduction, .largeState:
                .warning
            case .effectRejected, .causedActionRejected: .notice
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
        }
    }
}
