import Synchronization

/// The last steps of a store, or of several, for the time after a crash: a ring of lines.
///
/// A line is handed out before the next thing happens, so that a sink which writes it away at
/// once has it also when the next thing is a trap:
///
///     let recorder = CrashRecorder(capacity: 200, lineLength: 500) { line in
///         file.write(line.text, at: line.slot * 501)
///     }
///
///     → paid(5) from client
///     #1 paid(5)
///     → paid(-1) from client
///
/// Here the reducer trapped on the last one.
public final class CrashRecorder: Sendable {
    /// One line.
    public struct Line: Sendable, Hashable {
        /// Counts all lines from 1; sorts those of a file that is a ring.
        public let number: UInt64
        /// Which place in the ring it takes, from 0: a bounded file has as many.
        public let slot: Int
        /// The happening, without a line break.
        public let text: String
    }

    /// The number of lines that are kept.
    public let capacity: Int
    /// The longest line in bytes of UTF-8; longer ones are cut.
    public let lineLength: Int
    private let sink: (@Sendable (Line) -> Void)?
    private let ring = Mutex<(lines: [Line], count: UInt64)>(([], 0))

    /// An empty recorder.
    ///
    /// - Parameter sink: takes each line at once, on the isolation of the store that it is from.
    public init(
        capacity: Int = 200, lineLength: Int = 500, sink: (@Sendable (Line) -> Void)? = nil
    ) {
        precondition(capacity > 0 && lineLength >= 8, "A recorder keeps a line of 8 bytes or more.")
        self.capacity = capacity
        self.lineLength = lineLength
        self.sink = sink
    }

    /// The lines that are kept, the oldest first.
    public var lines: [Line] {
        ring.withLock { $0.lines.sorted { $0.number < $1.number } }
    }

    /// Adds a line, in place of the oldest one where the ring is full.
    public func record(_ text: String) {
        let text = bounded(text)
        let line = ring.withLock { ring in
            let slot = Int(ring.count % UInt64(capacity))
            ring.count += 1
            let line = Line(number: ring.count, slot: slot, text: text)
            if slot < ring.lines.count { ring.lines[slot] = line } else { ring.lines.append(line) }
            return line
        }
        sink?(line)
    }

    private func bounded(_ text: String) -> String {
        // A scalar has a byte at least: what is longer is cut below.
        let start = text.unicodeScalars.prefix(lineLength + 1).map {
            $0.properties.generalCategory == .control ? " " : $0
        }
        var flat = String(String.UnicodeScalarView(start))
        guard flat.utf8.count > lineLength else { return flat }
        while flat.utf8.count > lineLength - "…".utf8.count { flat.unicodeScalars.removeLast() }
        return flat + "…"
    }
}

extension Middleware {
    /// Tells a recorder of each action before the reducer sees it, and of each committed step.
    ///
    /// Stands last among the interceptors to record what the reducer sees, first to record what
    /// is sent.
    ///
    /// - Parameters:
    ///   - describe: what stands for an action; its description by default, in which a `Secret`
    ///     shows nothing.
    ///   - state: what stands for the state after a step that changed it; nil: only its version
    ///     is recorded.
    public static func crashRecorder(
        _ recorder: CrashRecorder,
        describe: @escaping @Sendable (Action) -> String = { String(describing: $0) },
        state: (@Sendable (State) -> String)? = nil
    ) -> Middleware {
        Middleware(
            "crash-recorder",
            intercept: { action, _, incoming in
                recorder.record("→ \(describe(action)) from \(incoming.origin.rawValue)")
                return .pass
            },
            effectsAfter: { transition in
                let cause = transition.cause.map { " caused by #\($0)" } ?? ""
                let result = transition.changed ? "" : ", no change"
                recorder.record(
                    "#\(transition.version) \(describe(transition.action))\(cause)\(result)")
                if transition.changed, let state {
                    recorder.record("#\(transition.version) state: \(state(transition.new))")
                }
                return []
            })
    }
}
