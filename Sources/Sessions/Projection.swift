import Accounting
package import Bytes
import StateCoding

/// One part of a session that is watched: the whole state, a view for a class of viewers, or a part
/// of what stands for the state; with its bytes as they were last made, shared by all clients that
/// watch it.
package final class Projection {
    // What every change needs stands together.
    let kind: ProjectionKind
    // Stored for this module alone, so that the compiler need not check each access at run time.
    private var changedAt: UInt64 = 0
    private var clients: AnyObject?
    private(set) var watcherCount = 0
    private(set) var waiterCount = 0
    /// The part of ids and ETags behind the token; empty for the whole state.
    package let suffix: String
    /// The parts of it that have clients.
    var parts = PartList()
    private(set) var value = ShownValue()
    /// The identity among the session's projections.
    package let key: ProjectionKey
    /// The class of viewers whom it is shown to; nil where it is for everybody.
    package var viewerClass: ViewerClass? { kind.viewerClass }
    /// The place among the views of its name, as long as it is kept.
    var place = 0

    package init(kind: ProjectionKind) {
        self.kind = kind
        key = kind.key
        suffix = key.suffix
    }

    /// The id and ETag at a version: the token, and the suffix that tells the projection from others.
    func tag(_ epoch: String, _ version: UInt64) -> [UInt8] {
        var tag: [UInt8] = []
        tag.reserveCapacity(tagCapacity(epoch))
        appendTag(epoch, version, to: &tag)
        return tag
    }

    /// Appends the id at the version of its session.
    package func appendTag(of session: Session, to output: inout [UInt8]) {
        appendTag(session.epoch, session.version, to: &output)
    }

    private func appendTag(_ epoch: String, _ version: UInt64, to output: inout [UInt8]) {
        Token.append(epoch, version, to: &output)
        if !suffix.isEmpty { output.append(copying: suffix) }
    }

    /// The most bytes that the id has.
    package func tagCapacity(of session: Session) -> Int { tagCapacity(session.epoch) }

    private func tagCapacity(_ epoch: String) -> Int { epoch.utf8.count + 21 + suffix.utf8.count }

    /// It is shown to a class of viewers.
    package var isClassed: Bool { viewerClass != nil }

    // MARK: The value

    /// The JSON as it was last made; nil where that is out of scope. It is put together when it is
    /// first asked for, where the projection has a form.
    package var json: SharedBytes? { value.text ?? change { $0.json() } }

    /// The number of bytes of the JSON; nil where it is out of scope.
    package var byteCount: Int? { value.byteCount }

    /// The number of bytes of the JSON of this version; nil where there is none.
    func byteCount(asOf version: UInt64) -> Int? { encodedAt == version ? byteCount : nil }

    /// A slot for the forms of `json` that clients ask for; emptied when the JSON changes.
    package var body: AnyObject? {
        get { value.body }
        set { value.body = newValue }
    }

    /// The version that `json` was made of.
    var encodedAt: UInt64? { value.encodedAt }

    /// A version since which it has not changed, as far as is known.
    package var lastChange: UInt64 { changedAt }

    /// The projection has changed with this version, as far as is known.
    func changed(at version: UInt64) { changedAt = version }

    /// The projection has this JSON as of a version; nil where it is out of scope.
    func encoded(_ json: SharedBytes?, at version: UInt64) {
        let isShown = hasClients
        change { $0.encoded(json, at: version, isShown: isShown) }
    }

    /// Changes what the projection shows. It is taken out meanwhile, which spares the run time its
    /// check that no second access overlaps: `edit` must not ask the projection for it.
    func change<Result>(_ edit: (inout ShownValue) -> Result) -> Result {
        var taken = ShownValue()
        swap(&taken, &value)
        defer { swap(&taken, &value) }
        return edit(&taken)
    }

    /// The JSON is the same as of a later version.
    func stayed(at version: UInt64) { value.stayed(at: version) }

    /// Finds the parts that have clients in the JSON of this version, and adds those that differ to
    /// others that have changed.
    func updateParts(at version: UInt64, addingTo changed: inout [Projection]) {
        guard !parts.isEmpty else { return }
        for part in parts.update(in: json, at: version) {
            part.changed(at: version)
            changed.append(part)
        }
    }

    /// Begins anew, with a state of which nothing is known yet.
    func begin(at version: UInt64) {
        change { $0.begin(at: version) }
        changedAt = version
    }

    // MARK: Patches

    /// A client asks for patches: they are kept from here on.
    ///
    /// - Parameter byteLimit: the memory for them.
    func keepPatches(byteLimit: Int) {
        let since = changedAt
        change { $0.keepPatches(since: since, byteLimit: byteLimit) }
    }

    /// Lets go of patches that no client asks for any more.
    ///
    /// - Parameter byteLimit: the memory for those that stay.
    func agePatches(isTight: Bool, byteLimit: Int, at now: Instant) {
        let isShown = hasClients
        change { $0.agePatches(isTight: isTight, byteLimit: byteLimit, isShown: isShown, at: now) }
    }

    /// The way from the value that a client has seen at a version to the present one.
    package func catchUp(from version: UInt64) -> CatchUp { value.catchUp(from: version) }

    /// The version since which the value was shown that a client has seen at a version: patches lead on
    /// from there. The present one's where that is it; nil where none is known.
    package func start(of version: UInt64) -> UInt64? { value.start(of: version) }

    /// Some watchers that are sent patches more, or less.
    package func addPatchWatchers(_ count: Int) { change { $0.addPatchWatchers(count) } }

    // MARK: Clients

    /// A slot for the clients of the projection, and for what they all are sent.
    package var audience: AnyObject? {
        get { clients }
        set { clients = newValue }
    }

    /// Some watchers more, or less.
    func addWatchers(_ count: Int) { watcherCount += count }

    /// Some more that wait for a change, or less.
    func addWaiters(_ count: Int) { waiterCount += count }

    /// Clients watch the projection or wait for it.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// No client needs the projection, for itself or for a part of it.
    var isUnused: Bool { !hasClients && parts.isEmpty }
}
