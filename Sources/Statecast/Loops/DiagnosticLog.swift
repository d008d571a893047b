import Journaling
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

    /// An event for operators. A bug of the application is an error, and so is data that stays
    /// although a client asked for its end.
    typealias Line = (kind: String, level: Logger.Level, sentence: String)

    private typealias Window = (begin: Instant, level: Logger.Level, lines: Int, passedOver: Int)

    /// A commit of the journal that takes so long is told of, once a minute.
    private static let commitDuration = Duration.seconds(2)

    private let logger: Logger
    private var windows: [String: Window] = [:]
    private var nextLook = Instant(nanoseconds: .min)

    init(logger: Logger) {
        self.logger = logger
    }

    /// Writes a line, or counts it. `session` is `/counter/demo`.
    func write(_ line: Line, of session: String, at now: Instant) {
        closeWindow(of: line.kind, at: now)
        var window = windows[line.kind] ?? (now, line.level, 0, 0)
        if window.lines < Self.lineCount {
            window.lines += 1
            logger.log(
                level: line.level, "\(StateDiff.escaped(line.sentence))",
                metadata: ["session": "\(session)", "kind": "\(line.kind)"])
        } else {
            window.passedOver += 1
        }
        windows[line.kind] = window
    }

    /// Tells what is wrong with the journal, once a minute.
    func look(at journal: JournalStatus, now: Instant) {
        let commit = journal.pendingDuration
        let failure = journal.isAvailable ? journal.upkeepFailure : nil
        guard now >= nextLook, commit >= Self.commitDuration || failure != nil else { return }
        nextLook = now.advanced(by: .seconds(60))
        if let failure {
            logger.error("Old and erased entries stay in the journal (\(failure)): it tries again.")
        }
        guard commit >= Self.commitDuration else { return }
        logger.warning(
            """
            The journal has not ended a commit for \(commit.components.seconds) s: all that is posted \
            waits. Look at the disk of its directory: its load (iostat -x 1), its faults (dmesg).
            """)
    }

    /// Tells how many were passed over in the windows that have ended by now.
    func closeWindows(at now: Instant) {
        for kind in windows.keys { closeWindow(of: kind, at: now) }
    }

    private func closeWindow(of kind: String, at now: Instant) {
        guard let window = windows[kind],
            now >= window.begin.advanced(by: Self.windowDuration)
        else { return }
        windows[kind] = nil
        guard window.passedOver > 0 else { return }
        logger.log(
            level: window.level, "and \(window.passedOver) more like this",
            metadata: ["kind": "\(kind)"])
    }
}

extension StoreDiagnostic {
    var line: DiagnosticLog.Line {
        switch self {
        case .chainCut(let causes, let limit):
            (
                "chain-cut", .error,
                "An action caused by \(causes.suffix(10).map { "#\($0)" }.joined(separator: " ")) "
                    + "was cut off: at most \(limit) follow."
            )
        case .effectFailed(let name, let error):
            (
                "effect-failed", .warning, "The effect \(name) has failed: \(error.prefix(1_000))"
            )
        case .effectsExhausted(let name, let limit):
            (
                "effects-exhausted", .warning,
                "The effect \(name) was not started: there are \(limit) already."
            )
        case .effectRejected(let name, let rejection):
            (
                "effect-rejected", .notice,
                "What the effect \(name) reported was rejected with \(rejection.code)."
            )
        case .causedActionRejected(let cause, let rejection):
            (
                "follow-up-rejected", .notice,
                "What followed from #\(cause) was rejected with \(rejection.code)."
            )
        case .causedActionLost(let cause):
            (
                "follow-up-lost", .warning,
                "What followed from #\(cause) could not be kept, and is lost."
            )
        case .impureReduction(let version, let action, let differences):
            (
                "impure-reduction", .error,
                "The reducer is not pure: \(action) at #\(version), done twice, differs: "
                    + differences.joined(separator: "; ")
            )
        case .slowReduction(let version, let action, let duration, let budget):
            (
                "slow-reduction", .warning,
                "\(action) at #\(version) took \(duration), above the budget of \(budget)."
            )
        case .largeState(let version, let byteCount, let budget):
            (
                "large-state", .warning,
                "The state at #\(version) has grown to \(byteCount) bytes, above the budget of "
                    + "\(budget)."
            )
        case .work(let diagnostic): diagnostic.line
        }
    }
}

extension WorkDiagnostic {
    fileprivate var line: DiagnosticLog.Line {
        switch self {
        case .namedTwice(let name):
            (
                "work-named-twice", .error,
                "Two works of a state have the name \(name): "
                    + "the first counts, give the other its own."
            )
        case .exhausted(let limit):
            ("work-exhausted", .warning, "\(limit) works are running: others wait.")
        case .failed(let name, let error), .problemReported(let name, let error):
            ("work-failed", .warning, "The work \(name) has failed: \(error.prefix(1_000))")
        case .alarmRepeats(let name, let count):
            (
                "alarm-repeats", .warning,
                "The alarm \(name) has come \(count) times, and the state still wants it."
            )
        }
    }
}
