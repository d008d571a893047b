import Accounting
package import Bytes
package import StateCoding

/// One part of a session that is watched: the whole state, a view for a class of viewers, or a part
/// of what stands for the state; with its bytes as they were last made, shared by all clients that
/// watch it.
package final class Projection {
    // What every change needs stands together.
    let kind: ProjectionKind
    // Stored for this module alone, so that the compiler need not check each access at run time.
    private var changedAt: UInt64
    private var clients: AnyObject?
    private(set) var watcherCount = 0
    private(set) var waiterCount = 0
    /// The part of ids and ETags behind the token; empty for the whole state.
    package let suffix: String
    /// The version that the value was made of; nil where it is to be made anew.
    private(set) var encodedAt: UInt64?
    /// The version at which the value was found to be another one than before.
    private(set) var renewedAt: UInt64?
    /// The JSON, as far as it is put together.
    private var text: SharedBytes?
    private var bodies: AnyObject?
    /// The input that a view's value was computed of, where the view compares that.
    private(set) var input: AnyObject?
    /// The patches that led to the value, as long as clients ask for them.
    private(set) var patches: PatchHistory?
    /// The parts of it that have clients, and their pointers for one search in all of its JSON.
    private(set) var parts: [Projection] = []
    private var pointers: PointerTree?
    /// The identity among the session's projections.
    package let key: ProjectionKey

    /// - Parameter version: the last change of the state, which may have changed what is shown.
    package init(_ kind: ProjectionKind, changedAt version: UInt64 = 0) {
        self.kind = kind
        key = ProjectionKey(kind)
        suffix = key.suffix
        changedAt = version
    }

    /// The class of viewers whom it is shown to; nil where it is for everybody.
    package var viewerClass: ViewerClass? { kind.view?.viewerClass }
    /// It is shown to a class of viewers.
    package var isClassed: Bool { viewerClass != nil }
    /// A slot for the clients of the projection, and for what they all are sent.
    package var audience: AnyObject? {
        get { clients }
        set { clients = newValue }
    }
    /// A slot for the forms of `json` that clients ask for; emptied when the JSON changes.
    package var body: AnyObject? {
        get { bodies }
        set { bodies = newValue }
    }

    // MARK: Tags

    /// The id and ETag at a version: the token, and the suffix that tells the projection from others.
    func tag(_ epoch: String, _ version: UInt64) -> [UInt8] {
        Token(epoch: epoch, version: version).bytes + suffix.utf8
    }

    // MARK: Clients

    func addWatchers(_ count: Int) {
        watcherCount += count
        precondition(watcherCount >= 0, "Each watcher goes once.")
    }

    func addWaiters(_ count: Int) {
        waiterCount += count
        precondition(waiterCount >= 0, "Each waiter goes once.")
    }

    /// Clients watch the projection or wait for it: they are shown each change.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// No client needs the projection, for itself or for a part of it.
    var isUnused: Bool { !hasClients && parts.isEmpty }

    // MARK: The value

    /// The JSON as it was last made; nil where that is out of scope. It is put together when it is
    /// first asked for, where the projection has a form.
    package var json: SharedBytes? {
        if text == nil, let form = patches?.form { text = SharedBytes(form.bytes()) }
        return text
    }

    /// The number of bytes of the JSON; nil where it is out of scope.
    package var byteCount: Int? { patches?.form?.byteCount ?? text?.count }

    /// The memory that the value takes, as far as it is not counted by itself.
    var heldByteCount: Int { (text?.uncountedByteCount ?? 0) + (patches?.heldByteCount ?? 0) }

    /// A version since which it has not changed, as far as is known.
    package var lastChange: UInt64 { changedAt }

    /// The projection has changed with this version, as far as is known.
    func noteChange(at version: UInt64) { changedAt = version }

    /// The value is the same as of a later version.
    func confirm(at version: UInt64) { encodedAt = version }

    /// The value is this JSON as of a version; nil where it is out of scope.
    func show(_ json: SharedBytes?, at version: UInt64) {
        patches?.replace(text, by: json, until: lastVersion(before: version), at: version)
        text = json
        renew(at: version)
    }

    /// The value has this form as of a version, and a patch has led to it from the former one.
    func show(_ change: EncodedChange, at version: UInt64) {
        let last = lastVersion(before: version)
        if patches?.form == nil || change.patch != nil {
            text = nil
            renew(at: version)
        }
        patches?.replace(by: change, until: last, at: version)
        encodedAt = version
    }

    /// A view shows this as of a version.
    func show(_ output: ViewOutput, at version: UInt64) {
        input = output.input
        switch output.content {
        case .unchanged: confirm(at: version)
        case .outOfScope where byteCount == nil: confirm(at: version)
        case .outOfScope: show(nil, at: version)
        case .pieces(let change): show(change, at: version)
        case .text(let bytes) where text?.bytes == bytes: confirm(at: version)
        case .text(let bytes): show(SharedBytes(bytes), at: version)
        }
    }

    private func renew(at version: UInt64) {
        bodies = nil
        encodedAt = version
        renewedAt = version
    }

    /// The last version before another at which the present value is known to have been shown.
    private func lastVersion(before version: UInt64) -> UInt64? {
        encodedAt.map { hasClients ? version - 1 : $0 }
    }

    /// An output for a view's next value.
    var output: ViewOutput {
        ViewOutput(
            input: input,
            patches.map { .pieces(after: $0.form) } ?? .text(expected: text?.count ?? 0))
    }

    /// Lets go of the JSON, which is made again for the next client that needs it.
    func drop() {
        text = nil
        patches?.form = nil
        bodies = nil
        input = nil
        encodedAt = nil
        renewedAt = nil
    }

    /// Begins anew, with a state of which nothing is known yet.
    func begin(at version: UInt64) {
        drop()
        patches?.begin(at: version)
        changedAt = version
    }

    // MARK: Parts

    func add(_ part: Projection) {
        parts.append(part)
        pointers = nil
    }

    func remove(_ part: Projection) {
        parts.removeAll { $0 === part }
        pointers = nil
    }

    /// The JSON of a part, as far as there is one.
    package func json(at pointer: JSONPointer) -> SharedBytes? {
        guard let json, let range = pointer.range(in: json.bytes.span) else { return nil }
        return SharedBytes(Array(json.bytes[range]))
    }

    /// Finds the parts that have clients in the JSON of this version, and returns those that differ.
    func updateParts(at version: UInt64) -> [Projection] {
        guard !parts.isEmpty else { return [] }
        let bytes = json?.bytes
        let ranges = bytes.map { search().ranges(in: $0.span) }
        var changed: [Projection] = []
        for (index, part) in parts.enumerated() {
            let slice = bytes.flatMap { bytes in ranges?[index].map { bytes[$0] } }
            if part.json?.bytes[...] == slice {
                part.confirm(at: version)
            } else {
                part.show(slice.map { SharedBytes(Array($0)) }, at: version)
                part.noteChange(at: version)
                changed.append(part)
            }
        }
        return changed
    }

    private func search() -> PointerTree {
        if let pointers { return pointers }
        let made = PointerTree(
            parts.map { if case .part(let pointer, _) = $0.kind { pointer } else { JSONPointer() } }
        )
        pointers = made
        return made
    }

    // MARK: Patches

    /// A client asks for patches: they are kept from here on.
    ///
    /// - Parameter byteLimit: the memory for them.
    func keepPatches(byteLimit: Int) {
        let known = patches ?? PatchHistory(since: min(changedAt, encodedAt ?? changedAt))
        known.noteUse(byteLimit: byteLimit)
        patches = known
    }

    /// A form stands for the present JSON, which clients are sent as it is written in the form.
    func keepForm(_ form: EncodedForm) {
        text = nil
        bodies = nil
        patches?.form = form
    }

    /// The JSON is its own form, until the value is encoded anew.
    func keepTextAsForm() {
        guard let patches, patches.form == nil, let text else { return }
        patches.form = EncodedForm(json: text.bytes)
    }

    /// Lets go of patches that no client asks for any more.
    ///
    /// - Parameter byteLimit: the memory for those that stay.
    /// - Returns: the instant at which they go next; nil where none do.
    func agePatches(isTight: Bool, byteLimit: Int, at now: Instant) -> Instant? {
        guard let patches else { return nil }
        let end = patches.age(byteLimit: byteLimit, at: now)
        guard let end, isTight || now >= end else { return end }
        if patches.form != nil {
            // What is shown next is compared with the text.
            if hasClients { _ = json } else { drop() }
        }
        self.patches = nil
        return nil
    }

    /// Some watchers that are sent patches more, or less.
    package func addPatchWatchers(_ count: Int) { patches?.addWatchers(count) }

    /// The form of the value, where it is there and as of this change of the state.
    func form(asOf lastChange: UInt64) -> EncodedForm? {
        encodedAt.map { $0 >= lastChange } ?? false ? patches?.form : nil
    }

    /// The way from the value that a client has seen at a version to the present one.
    package func catchUp(from version: UInt64) -> CatchUp {
        guard let byteCount, let patches else { return .snapshot }
        return patches.catchUp(from: version, limit: byteCount)
    }

    /// The version since which the value was shown that a client has seen at a version: patches lead on
    /// from there. The present one's where that is it; nil where none is known.
    package func start(of version: UInt64) -> UInt64? { patches?.start(of: version) }
}
