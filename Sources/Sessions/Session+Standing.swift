package import Bytes
import Journaling
package import Redux
import StateCoding

/// What a session says of itself.
extension Session {
    /// A session up to this size goes on although memory is far too short.
    static let smallByteCount = 16 * 1024
    /// An empty session takes about so much.
    static let leastByteCount = 1024

    package var watcherCount: Int { shown?.watcherCount ?? 0 }
    /// The number of answers that are held for a change, or for effects.
    package var waiterCount: Int { (shown?.waiterCount ?? 0) + Int(settlingCount) }
    /// The id and ETag of a projection: the token, and the suffix that tells it from others.
    package func tag(_ projection: Projection, at version: UInt64? = nil) -> [UInt8] {
        var tag = Token(epoch: epoch, version: version ?? self.version).bytes
        if !projection.suffix.isEmpty { tag += projection.suffix.utf8 }
        return tag
    }

    /// The path of its application: `/counter`, or nothing at the root.
    package var mountName: String { context.mounts[mount] }

    /// The bytes of the committed state as JSON, which is encoded for that where something was taken in
    /// since it was last.
    package func measureState() -> Int {
        defer { countMemory() }
        return measuredByteCount()
    }

    /// The memory that showing a projection takes, where its JSON has to be made: no more than the state.
    package func showingByteCount(_ projection: Projection) -> Int {
        projection.byteCount == nil ? meter.byteCount : 0
    }

    package var isReplay: Bool { actions == nil }

    /// Has `nextStep` submit the actions that effects have reported; not from within the store.
    package func submitCausedActions() { owesActions = true }

    /// The session has no watchers, no waiting requests and no work.
    package var isUnused: Bool {
        watcherCount == 0 && waiterCount == 0 && durability.isIdle && actions?.isIdle ?? true
    }

    /// The journal has the state in another form than it is written in today: an entry says so before
    /// anything is served, so that no token names two texts.
    package var needsMigration: Bool { frozen == nil && !logging.isFaithful(at: version) }

    /// All that was decided is kept, answered and shown.
    package var isAtRest: Bool {
        durability.isIdle && !durability.hasSteps && headVersion == version && !isPublishing
    }

    /// Effects are under way, which nobody begins again, as works are.
    package var hasEffects: Bool { actions?.hasEffects ?? false }

    /// The same, but that alarms may be set: the journal wakes the session for these.
    package var allowsSleep: Bool {
        watcherCount == 0 && waiterCount == 0 && durability.isIdle && actions?.allowsSleep ?? true
    }

    /// The journal is told what is being reduced, or nil once that is done: where it ends the process, it is
    /// known.
    func noteReduction(to version: UInt64?) {
        context.journal.reduces(
            appendRight, to: version ?? 0, isDone: version == nil, on: context.loopIndex)
    }

    /// Some streams that watch a projection come or go, or some requests that wait for a change of it.
    package func add(
        watchers: Int = 0, waiters: Int = 0, to projection: Projection,
        of chooser: Accounts.Client = 0
    ) {
        projections.add(watchers: watchers, waiters: waiters, to: projection, of: chooser)
        if watchers != 0 {
            context.watcherCount += watchers
            actions?.watch(by: watcherCount)
        }
        countMemory()
    }

    /// A viewer is shown a projection, and has been of its class since a version without a break.
    package func remember(_ viewer: Viewer, of projection: Projection, since: UInt64) {
        guard let view = projection.kind.changingView, !isEnded else { return }
        projections.viewers.remember(viewer, in: view, since: since, at: version)
        countMemory()
    }

    /// A client asks for the patches of a projection.
    package func keepPatches(of projection: Projection) {
        projections.keepPatches(of: projection)
        if !isPastKept { logging.ask() }
        countMemory()
    }

    /// What can be made again of a session that no client watches, its JSON and its ledger, is kept for
    /// so long after the last request.
    package static let cacheDuration = Duration.seconds(30)
    /// A session that a journal keeps goes to sleep after so long, and its caches with it: so the order of
    /// the deadlines is that in which sessions were used.
    package static let keptDuration = Duration.seconds(60)
}
