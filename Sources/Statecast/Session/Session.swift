import HTTPServer
import Journaling
import Sockets

/// One authoritative state and all who wait for it: a list of parts, on one event loop.
final class Session {
    let id: SessionID
    /// What the registry finds it by.
    let hash: UInt64
    /// The next one in its chain of the registry's table.
    var next: Session?

    let store: any SessionStore
    /// Where its application is mounted.
    let mountName: String
    let epoch: String
    let created: Timestamp
    var changed: Timestamp
    var lastUse: Instant

    /// Why nothing is accepted any more.
    var frozen: String?
    var isEnded = false
    var projections: [String: Projection] = [:]
    let whole: Projection
    /// How the state was encoded last, as long as somebody watches.
    var encodingMemory: EncodingMemory?
    var idempotency = IdempotencyTable()
    var settling: [SettlingAnswer] = []
    /// What waits for the journal, in the order of versions.
    var uncommitted: [HeldAnswer] = []
    /// The last version that was handed to the journal.
    var journaled: UInt64 = 0
    /// The last change that watchers were told of.
    var published: UInt64 = 0
    var watcherCount = 0
    var waiterCount = 0

    init(
        id: SessionID, hash: UInt64, mount: String, epoch: String, store: any SessionStore,
        now: Timestamp, at instant: Instant
    ) {
        self.id = id
        self.hash = hash
        self.store = store
        mountName = mount
        self.epoch = epoch
        created = now
        changed = now
        lastUse = instant
        whole = Projection(kind: .whole, name: "", suffix: "")
    }

    /// The committed version as clients see it.
    var token: Token { Token(epoch: epoch, version: store.version) }

    /// Whether nobody watches, waits, or works for it.
    var isUnused: Bool {
        watcherCount == 0 && waiterCount == 0 && uncommitted.isEmpty && store.isIdle
    }
}
