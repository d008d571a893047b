import Synchronization

/// The try that a run is in, seen from its task and from the session: a run that is asked to finish
/// has no further try.
final class WorkPhase: Sendable {
    /// The low bits of the word; the number of the try stands above them.
    private enum Stage: Int {
        /// No try is under way.
        case between
        case trying
        /// The try that is under way is the last one.
        case last
        /// There is no further try.
        case over
    }

    private let word = Atomic(0)

    /// The number of the present try; 0 before the first one.
    var attempt: Int { word.load(ordering: .relaxed) >> 2 }

    /// Begins a try; throws where the run was asked to finish.
    func begin(_ attempt: Int) throws {
        let seen = word.load(ordering: .relaxed)
        guard Self.stage(seen) == .between,
            exchange(seen, for: attempt << 2 | Stage.trying.rawValue)
        else { throw CancellationError() }
    }

    /// Ends a try that has failed; false where it was the last one.
    @discardableResult
    func pause() -> Bool {
        let seen = word.load(ordering: .relaxed)
        return Self.stage(seen) == .trying && exchange(seen, for: seen & ~3)
    }

    /// Lets the present try be the last one; true where none is under way.
    @discardableResult
    func finish() -> Bool {
        while true {
            let seen = word.load(ordering: .relaxed)
            let next: Stage
            switch Self.stage(seen) {
            case .between: next = .over
            case .trying: next = .last
            case .last: return false
            case .over: return true
            }
            if exchange(seen, for: seen & ~3 | next.rawValue) { return next == .over }
        }
    }

    private static func stage(_ word: Int) -> Stage { Stage(rawValue: word & 3) ?? .over }

    private func exchange(_ seen: Int, for next: Int) -> Bool {
        word.compareExchange(expected: seen, desired: next, ordering: .acquiringAndReleasing)
            .exchanged
    }
}
