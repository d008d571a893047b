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
