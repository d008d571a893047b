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

    private(set) var store: any SessionStore
    /// Where its application is mounted.
    let mountName: String
    private(set) var epoch: String
    /// The right to append to its journal.
    private(set) var lease: Lease
    let created: Timestamp
    var changed: Timestamp
    /// When it came into memory.
    let opened: Instant
    var lastUse: Instant
    /// The client that has made it, as long as it counts into that client's share.
    let maker: SessionMaker?
    /// A client has posted to it since it came into memory.
    var wasPostedTo = false

    /// Why nothing is accepted any more.
    var frozen: String?
    var isEnded = false
    var projections: Projections
    /// How the state was encoded last, as long as somebody watches.
    var encodingMemory: EncodingMemory?
    var idempotency = IdempotencyTable()
    var settling: [SettlingAnswer] = []
    /// Idempotency keys whose entries are with the journal.
    var keysInFlight: [IdempotencyHash: KeyInFlight] = [:]
    /// How far its entries are kept, and what waits for that.
    var durability: Durability<HeldAnswer>
    /// Why the last entries were not appended at once, if they were not.
    var appendProblem: AppendProblem?
    /// How large the state is, or may have become.
    var meter = StateMeter()
    /// What it has counted into the memory budget.
    var countedByteCount = 0
    /// When the last journaled entry was decided.
    var lastEntryTime: Int64 = 0
    /// The last change that watchers were told of.
    var published: UInt64 = 0
    var watcherCount = 0
    var waiterCount = 0

    init(
        id: SessionID, hash: UInt64, mount: String, opened: OpenedSession,
        store: any SessionStore, maker: SessionMaker?, now: Timestamp, at instant: Instant
    ) {
        self.id = id
        self.hash = hash
        self.store = store
        mountName = mount
        epoch = opened.epoch
        lease = opened.lease
        created = opened.created
        changed = now
        self.maker = maker
        self.opened = instant
        lastUse = instant
        durability = Durability(at: store.version)
        published = store.lastChange
        projections = Projections(lastChange: store.lastChange)
        if let document = opened.document { meter.measured(document.json.count) }
        take(opened.keys)
    }

    /// Goes on from what the journal holds, which is what memory holds as well.
    func resume(_ lease: Lease) {
        self.lease = lease
        durability.reopened(at: store.version)
    }

    /// Goes on from what the journal holds, in place of what memory held.
    func replace(by opened: OpenedSession, _ restored: any SessionStore) {
        store.cancelEffects()
        store = restored
        epoch = opened.epoch
        lease = opened.lease
        durability.reopened(at: restored.version)
        idempotency = IdempotencyTable()
        take(opened.keys)
        if let document = opened.document { meter.measured(document.json.count) }
        frozen = nil
        published = restored.lastChange
        for projection in projections.all { projection.begin(at: restored.lastChange) }
    }

    private func take(_ keys: [KeptKey]) {
        for kept in keys {
            let key = IdempotencyHash(kept.key, of: kept.principal)
            guard idempotency.entry(key) == nil else { continue }
            let record = kept.batch ?? BatchRecord.write(entryCount: kept.last - kept.first + 1)
            let outcome = KeptOutcome(version: kept.last, changed: kept.changed, record: record)
            idempotency.insert(key, .init(print: kept.print, outcome: outcome), at: kept.at)
        }
    }

    /// The committed version as clients see it.
    var token: Token { Token(epoch: epoch, version: store.version) }

    /// The session has no watchers, no waiting requests and no work.
    var isUnused: Bool {
        watcherCount == 0 && waiterCount == 0 && durability.isIdle && store.isIdle
    }
}
