import Sessions
import StateCoding

/// The body of `POST M/sessions/{id}/replay`: `{"mode":"4x"}`, `{"steps":1}` or `{"version":57}`.
struct ReplayCommand: Decodable {
    /// From now on it is played so.
    var mode: String?
    /// So many entries are played at once.
    var steps: Int?
    /// All entries through this version are played at once.
    var version: Int?

    /// The way in which a replay is to go on, and the version that it is to reach at once.
    ///
    /// - Parameters:
    ///   - present: the version that it has reached.
    ///   - last: the version behind the last entry; more steps end there.
    func goal(
        from present: UInt64, through last: UInt64
    ) throws(DecodingFailure) -> (mode: ReplayMode?, version: UInt64?) {
        guard mode != nil || steps != nil || version != nil else {
            throw .shape("A mode, steps or a version is expected.")
        }
        let wanted = try mode.map { text throws(DecodingFailure) in
            guard let mode = ReplayMode(text) else {
                throw .shape(
                    "1x to \(ReplayMode.greatestSpeed)x, step or instant is expected.", at: ["mode"]
                )
            }
            return mode
        }
        guard wanted != .instant || steps == nil && version == nil else {
            throw .shape("An instant replay has no steps and no version.", at: ["mode"])
        }
        if let version {
            guard steps == nil else {
                throw .shape("Steps and a version exclude each other.", at: ["steps"])
            }
            guard let goal = UInt64(exactly: version), (present...last).contains(goal) else {
                throw .shape(
                    "A replay goes forward: \(present) to \(last) is expected.", at: ["version"])
            }
            return (wanted, goal)
        }
        guard let steps else { return (wanted, nil) }
        guard let count = UInt64(exactly: steps), count > 0 else {
            throw .shape("A number from 1 is expected.", at: ["steps"])
        }
        return (wanted, count < last - present ? present + count : last)
    }
}
