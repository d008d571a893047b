/// The way in which a recording is played.
package enum ReplayMode: Sendable, Hashable, CustomStringConvertible {
    /// With the intervals of the recording, divided by a number: `1x`, `4x`.
    case speed(Int)
    /// Entry by entry, as it is asked for: `step`.
    case step
    /// All at once: `instant`.
    case instant

    /// The greatest speed.
    package static let greatestSpeed = 1_000

    /// Reads `1x`, `step` or `instant`; nil where it is neither.
    package init?(_ text: String) {
        switch text {
        case "step": self = .step
        case "instant": self = .instant
        default:
            let digits = text.dropLast()
            guard text.hasSuffix("x"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                digits.utf8.first != 0x30, let speed = Int(digits),
                (1...Self.greatestSpeed).contains(speed)
            else { return nil }
            self = .speed(speed)
        }
    }

    package var description: String {
        switch self {
        case .speed(let speed): "\(speed)x"
        case .step: "step"
        case .instant: "instant"
        }
    }
}
