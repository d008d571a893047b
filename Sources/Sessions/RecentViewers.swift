import Redux

/// The viewers who were shown a view lately, and since when each of them is of its class.
///
/// Who is of a class depends on the state: the key is a seat, a membership. What a class was shown is
/// for those alone who were of it then. So a client's tag counts only from the version on since which
/// its viewer has been of the class without a break: who comes into a class, or back into it, begins
/// with a snapshot, whatever version is named. An open stream and a request that is held know that
/// version themselves; this remembers it between two connections, and asks after each change of the
/// state who has left. A viewer who is not remembered has been of the class since the last change of
/// the state, as far as is known.
struct RecentViewers {
    /// A viewer's time in a class: the version since which the viewer is known to be of it, that at
    /// which the viewer was last shown the view, and the place in the order of all who were.
    private typealias Stay = (since: UInt64, seen: UInt64, turn: UInt64)

    /// A viewer who was away for more versions is forgotten; patches go back less far.
    private static let versionCount: UInt64 = 4096
    /// The most memory that they take; those go first who were away longest.
    static let greatestByteCount = 128 * 1024
    /// A viewer takes so much besides its texts, about.
    static let viewerByteCount = 256

    private var classes: [ShownView: [Viewer: Stay]] = [:]
    private var turn: UInt64 = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { classes.isEmpty }

    /// The version since which a viewer is known to be of the class of a view; nil where the viewer is
    /// not remembered.
    func since(_ viewer: Viewer, in view: ShownView) -> UInt64? { classes[view]?[viewer]?.since }

    /// A viewer of a class is shown the view at a version, and has been of the class since another one.
    mutating func remember(
        _ viewer: Viewer, in view: ShownView, since: UInt64, at version: UInt64
    ) {
        let size = Self.byteCount(of: viewer)
        guard size <= Self.greatestByteCount / 8 else { return }
        turn += 1
        let known = classes[view]?[viewer]?.since
        classes[view, default: [:]][viewer] = (
            min(since, known ?? .max), version, turn
        )
        if known == nil { byteCount += size }
        if byteCount > Self.greatestByteCount { trim() }
    }

    /// Forgets those who are of another class by the committed state.
    mutating func removeLeavers(by store: any ShowsState) {
        for (view, members) in classes {
            let viewers = Array(members.keys)
            let groups = CollectionOfOne(ViewerGroup(view.viewerClass, viewers))
            let leavers = store.leavers(ofView: view.name, among: groups.span).first
            for place in leavers?.places ?? [] { remove(viewers[place], from: view) }
            for (viewer, stay) in members where stay.seen + Self.versionCount < store.version {
                remove(viewer, from: view)
            }
        }
    }

    mutating func removeAll() { self = RecentViewers() }

    /// Removes the half of them who were away longest.
    private mutating func trim() {
        let turns = classes.values.flatMap { $0.values.map(\.turn) }.sorted()
        let middle = turns[turns.count / 2]
        for (view, members) in classes {
            for (viewer, stay) in members where stay.turn < middle { remove(viewer, from: view) }
        }
    }

    private mutating func remove(_ viewer: Viewer, from view: ShownView) {
        guard classes[view]?.removeValue(forKey: viewer) != nil else { return }
        byteCount -= Self.byteCount(of: viewer)
        if classes[view]?.isEmpty ?? false { classes[view] = nil }
    }

    private static func byteCount(of viewer: Viewer) -> Int {
        let roles = viewer.principal.roles.reduce(0) { $0 + $1.utf8.count + 16 }
        return viewer.arguments.reduce(viewerByteCount + (viewer.id ?? "").utf8.count + roles) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 64
        }
    }
}
