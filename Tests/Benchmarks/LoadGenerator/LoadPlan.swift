/// The sessions, streams and posts of a run.
struct LoadPlan: Sendable {
    var name: String
    var sessions: Int
    var watchersPerSession: Int
    /// The number of connections that post; a session's posts always use the same one.
    var posters: Int
    /// Posts a second over all sessions; nil posts as fast as answers and events come.
    var rate: Double?
    /// The streams are sent patches (`?patch=json-patch`) and not states.
    var hasPatches = false
    /// Sessions beside those, which nobody watches or posts to.
    var others = 0

    /// True where nothing is posted or watched while it is measured.
    var isAtRest: Bool { sessions == 0 }

    /// True where the next post to a session waits for the events of the last one.
    var waitsForEvents: Bool { watchersPerSession > 0 && rate == nil }
}
