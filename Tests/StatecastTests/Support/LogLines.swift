import Logging
import Synchronization

/// The lines that a server has logged: level and text, and the metadata apart.
final class LogLines: Sendable {
    private let lines = Mutex<[(line: String, metadata: String)]>([])

    /// `warning The effect load has failed: …`
    var all: [String] { lines.withLock { $0.map(\.line) } }
    /// Everything, the metadata too.
    var text: String {
        lines.withLock { $0.map { "\($0.line) \($0.metadata)" } }.joined(separator: "\n")
    }

    /// What a logger writes to.
    var handler: any LogHandler { Handler(lines: self) }

    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            lines.lines.withLock { $0.append(("\(event.level) \(event.message)", "\(all)")) }
        }
    }
}
