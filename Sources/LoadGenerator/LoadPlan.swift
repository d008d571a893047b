/// What a run does.
struct LoadPlan: Sendable {
    var name: String
    /// How many sessions are made.
    var sessions: Int
    /// How many streams watch each.
    var watchersPerSession: Int
    /// How many connections post; a session's posts always use the same one.
    var posters: Int
    /// Posts a second over all sessions; nil: as fast as answers and events come.
    var rate: Double?

    /// Whether the next post to a session waits for the events of the last one.
    var waitsForEvents: Bool { watchersPerSession > 0 && rate == nil }
}
