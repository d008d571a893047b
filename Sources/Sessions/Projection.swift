package import Bytes
import StateCoding

/// One part of a session that is watched: the whole state, a view for a class of viewers, or a part
/// of what stands for the state; with its bytes as they were last made, shared by all clients that
/// watch it.
package final class Projection {
    let kind: ProjectionKind
    /// The identity among the session's projections.
    package let key: ProjectionKey
    /// The part of ids and ETags behind the token; empty for the whole state.
    package let suffix: String
    /// The JSON at `encodedAt`; nil where that is out of scope. It is put together when it is first
    /// asked for, where the projection has a form.
    package var json: SharedBytes? {
        if content == nil, let form = patches?.form { content = SharedBytes(form.bytes()) }
        return content
    }
    /// The number of bytes of the JSON; nil where it is out of scope.
    package var byteCount: Int? { patches?.form?.byteCount ?? content?.count }
    /// A slot for the forms of `json` that clients ask for; emptied when the JSON changes.
    package var body: AnyObject?
    /// A slot for the clients of the projection, and for what they all are sent.
    package var audience: AnyObject?
    /// The input that a view's `json` was computed of, where the view compares that.
    var input: AnyObject?
    /// The parts of it that have clients.
    var parts = PartList()
    /// The version that `json` was made of.
    private(set) var encodedAt: UInt64?
    /// A version since which it has not changed, as far as is known.
    package var lastChange: UInt64 { changedAt }
    // Stored for this module alone, so that the compiler need not check each access at run time.
    private var content: SharedBytes?
    private var changedAt: UInt64 = 0
    /// The patches that led to the value, as long as clients ask for them.
    var patches: KeptPatches?
    private(set) var watcherCount = 0
    private(set) var waiterCount = 0

    package init(kind: ProjectionKind) {
        self.kind = kind
        key = kind.key
        suffix = key.suffix
    }

    /// The id and ETag at a version: the token, and the suffix that tells the projection from others.
    func tag(_ epoch: String, _ version: UInt64) -> [UInt8] {
        var tag: [UInt8] = []
        tag.reserveCapacity(epoch.utf8.count + 35)
        Token.append(epoch, version, to: &tag)
        tag.append(contentsOf: suffix.utf8)
        return tag
    }

    /// The projection has this JSON as of a version; nil where it is out of scope.
    func encoded(_ json: SharedBytes?, at version: UInt64) {
        patches?.replace(content, by: json, until: lastVersion(before: version), at: version)
        content = json
        body = nil
        encodedAt = version
    }

    /// The projection has this form as of a version, and a patch has led to it from the former one.
    func encoded(_ change: EncodedChange, at version: UInt64) {
        if patches?.form == nil || change.patch != nil {
            content = nil
            body = nil
        }
        patches?.replace(by: change, until: lastVersion(before: version), at: version)
        encodedAt = version
    }

    /// The last version before another at which the present value is known to have been shown:
    /// clients are shown each change.
    private func lastVersion(before version: UInt64) -> UInt64? {
        encodedAt.map { hasClients ? version - 1 : $0 }
    }

    /// The JSON is the same as of a later version.
    func stayed(at version: UInt64) { encodedAt = version }

    /// Finds the parts that have clients in the JSON of this version, and returns those that differ.
    func updateParts(at version: UInt64) -> [Projection] {
        guard !parts.isEmpty else { return [] }
        let changed = parts.update(in: json, at: version)
        for part in changed { part.changed(at: version) }
        return changed
    }

    /// A form stands for the present JSON, which clients are sent as it is written in the form.
    func keepForm(_ form: EncodedForm) {
        content = nil
        body = nil
        patches?.keepForm(form)
    }

    /// The form of the present value, where it is there and as of this change of the state.
    func form(asOf lastChange: UInt64) -> EncodedForm? {
        encodedAt.map { $0 >= lastChange } ?? false ? patches?.form : nil
    }

    /// A client asks for patches: they are kept from here on.
    ///
    /// - Parameter byteLimit: the memory for them.
    func keepPatches(byteLimit: Int) {
        let since = min(changedAt, encodedAt ?? changedAt)
        if patches == nil { patches = KeptPatches(since: since, byteLimit: byteLimit) }
        patches?.noteUse(byteLimit: byteLimit)
    }

    /// Another round has gone by: patches go that nobody asks for any more.
    ///
    /// - Parameter byteLimit: the memory for those that stay.
    func agePatches(isTight: Bool, byteLimit: Int) {
        patches?.age(byteLimit: byteLimit)
        guard patches?.isUnused(isTight: isTight) ?? false else { return }
        if patches?.form != nil { dropContent() }
        patches = nil
    }

    /// The way from the value that a client has seen at a version to the present one.
    package func catchUp(from version: UInt64) -> CatchUp {
        guard let byteCount, let patches else { return .snapshot }
        return patches.catchUp(from: version, limit: byteCount)
    }

    /// The version since which the value was shown that a client has seen at a version: patches lead on
    /// from there. The present one's where that is it; nil where none is known.
    package func start(of version: UInt64) -> UInt64? { patches?.start(of: version) }

    /// The projection has changed with this version, as far as is known.
    func changed(at version: UInt64) { changedAt = version }

    /// Some watchers more, or less.
    func addWatchers(_ count: Int) { watcherCount += count }

    /// Some watchers that are sent patches more, or less.
    package func addPatchWatchers(_ count: Int) { patches?.addWatchers(count) }

    /// Some more that wait for a change, or less.
    func addWaiters(_ count: Int) { waiterCount += count }

    /// The memory that the JSON takes, as far as it is not counted by itself, and the patches.
    var heldByteCount: Int {
        (content?.uncountedByteCount ?? 0) + (patches?.byteCount ?? 0)
    }

    /// Lets go of the JSON, which is made again for the next client that needs it.
    func dropContent() {
        content = nil
        patches?.keepForm(nil)
        body = nil
        input = nil
        encodedAt = nil
    }

    /// Begins anew, with a state of which nothing is known yet.
    func begin(at version: UInt64) {
        dropContent()
        patches?.begin(at: version)
        changedAt = version
    }

    /// Clients watch the projection or wait for it.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// No client needs the projection, for itself or for a part of it.
    var isUnused: Bool { !hasClients && parts.isEmpty }

    /// It is shown to a class of viewers, which the state may change.
    package var isClassed: Bool { view?.viewerClass != nil }

    /// The view that it is, or is a part of; nil for the state.
    package var view: ShownView? { kind.view }
}
