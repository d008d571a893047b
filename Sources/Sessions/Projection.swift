package import Bytes
package import Journaling
package import StateCoding

/// One part of a session that is watched: the whole state, a view for a class of viewers, or a part
/// of what stands for the state; with its bytes as they were last made, shared by all clients that
/// watch it.
package final class Projection {
    /// Larger texts of parts are not compared, which would take the loop too long: clients are sent
    /// snapshots of them.
    private static let comparedByteCount = 1 << 20

    // What every change needs stands together.
    package let kind: ProjectionKind
    // Stored for this module alone, so that the compiler need not check each access at run time.
    private var changedAt: UInt64
    private var clients: AnyObject?
    private(set) var watcherCount = 0
    private(set) var waiterCount = 0
    /// The client on whose account it is among the selections; 0: it is none, or has no clients.
    var chooser: Accounts.Client = 0
    /// The part of ids and ETags behind the token; empty for the whole state.
    package let suffix: String
    /// The version that the value was made of; nil where it is to be made anew.
    private(set) var encodedAt: UInt64?
    /// The version at which the value was found to be another one than before.
    private(set) var renewedAt: UInt64?
    /// The JSON, as far as it is put together.
    private var text: SharedBytes?
    /// The value in pieces, from which the next one is encoded; nil where the text is all there is.
    private(set) var form: EncodedForm?
    private var bodies: AnyObject?
    /// The input that a view's value was computed of, where the view compares that.
    private(set) var input: AnyObject?
    /// The patches that led to the value, as long as clients ask for them.
    private(set) var patches: PatchHistory?
    /// The parts of it that have clients, and their pointers for one search in all of its JSON.
    private(set) var parts: [Projection] = []
    private var pointers: PointerTree?
    /// The patch that has led to the value, and the version since which the one before it was shown;
    /// kept until the parts are found.
    private var lastPatch: (since: UInt64, patch: JSONPatch)?
    /// The identity among the session's projections.
    package let key: ProjectionKey

    /// - Parameter version: the last change of the state, which may have changed what is shown.
    package init(
        _ kind: ProjectionKind, changedAt version: UInt64 = 0, hash: KeyedHash? = nil
    ) {
        self.kind = kind
        key = ProjectionKey(kind)
        suffix = key.suffix(by: hash)
        changedAt = version
    }

    /// The class of viewers whom it is shown to; nil where it is for everybody.
    package var viewerClass: ViewerClass? { kind.view?.viewerClass }
    /// It shows that something is not there.
    package var isAbsence: Bool { if case .absence = kind { true } else { false } }
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

    // MARK: Clients

    func add(watchers: Int = 0, waiters: Int = 0) {
        watcherCount += watchers
        waiterCount += waiters
        precondition(watcherCount >= 0 && waiterCount >= 0, "Each client goes once.")
    }

    /// Clients watch the projection or wait for it: they are shown each change.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// No client needs the projection, for itself or for a part of it.
    var isUnused: Bool { !hasClients && parts.isEmpty }

    // MARK: The value

    /// The JSON as it was last made; nil where that is out of scope. It is put together when it is
    /// first asked for, where the projection has a form.
    package var json: SharedBytes? {
        if text == nil, let form { text = SharedBytes(form.bytes()) }
        return text
    }

    /// The JSON, to be written where it is sent, and not put together before; nil where it is out of scope.
    package var value: EncodedForm? { text.map { EncodedForm(json: $0.bytes) } ?? form }

    /// The number of bytes of the JSON; nil where it is out of scope.
    package var byteCount: Int? { form?.byteCount ?? text?.count }

    /// The memory that the value takes, as far as it is not counted by itself.
    var heldByteCount: Int {
        (text?.uncountedByteCount ?? 0) + (form?.heldByteCount ?? 0) + (patches?.byteCount ?? 0)
    }

    /// A version since which it has not changed, as far as is known.
    package var lastChange: UInt64 { changedAt }

    /// The projection has changed with this version, as far as is known.
    func noteChange(at version: UInt64) { changedAt = version }

    /// The value is the same as of a later version.
    func confirm(at version: UInt64) { encodedAt = version }

    /// The value is this JSON as of a version; nil where it is out of scope.
    ///
    /// - Parameter known: the operations that lead there, where these are known.
    func show(_ next: SharedBytes?, by known: JSONPatch? = nil, at version: UInt64) {
        let former = json
        guard former?.bytes != next?.bytes else { return confirm(at: version) }
        var patch = known
        if patch == nil, patches != nil, let former, let next,
            max(former.count, next.count) <= Self.comparedByteCount
        {
            patch = JSONPatch.difference(from: former.bytes.span, to: next.bytes.span)
        }
        form = nil
        text = next
        renew(patch, at: version)
    }

    /// The value has this form as of a version.
    func show(
        _ next: EncodedForm, at version: UInt64, _ common: SharedCollections? = nil
    ) {
        var patch: JSONPatch?
        if patches != nil || !parts.isEmpty,
            let former = form ?? text.map({ EncodedForm(json: $0.bytes) })
        {
            patch = next.change(from: former, common).patch
            guard patch != nil else {
                form = next
                return confirm(at: version)
            }
        }
        let since = renewedAt
        form = next
        text = nil
        renew(patch, at: version)
        if !parts.isEmpty, let patch, let since { lastPatch = (since, patch) }
    }

    /// A view shows this as of a version.
    func show(_ output: ViewOutput, at version: UInt64) {
        input = output.input
        switch output.content {
        case .unchanged: confirm(at: version)
        case .outOfScope: show(nil, at: version)
        case .form(let form): show(form, at: version, output.common)
        case .text(let bytes): show(SharedBytes(bytes), at: version)
        }
    }

    /// The value is another one, to which a patch leads, if one is known.
    private func renew(_ patch: JSONPatch?, at version: UInt64) {
        if let patch, let last = encodedAt, last < version {
            let isKnown = hasClients && !(patches?.skipsStates ?? false)
            patches?.append(patch, until: isKnown ? version - 1 : last, at: version)
        } else {
            patches?.begin(at: version)
        }
        bodies = nil
        lastPatch = nil
        encodedAt = version
        renewedAt = version
    }

    /// An output for a view's next value.
    ///
    /// - Parameter common: the parts that are shown to other classes of viewers as well.
    func output(_ common: CommonViews?) -> ViewOutput {
        let isInForm = patches != nil
        return ViewOutput(
            input: input, inForm: isInForm, after: form, isInForm ? common?.forms : common?.texts)
    }

    /// Lets go of the JSON, which is made again for the next client that needs it.
    func drop() {
        text = nil
        form = nil
        bodies = nil
        input = nil
        lastPatch = nil
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
        parts = parts + [part]
        pointers = nil
    }

    func remove(_ part: Projection) {
        parts = parts.filter { $0 !== part }
        pointers = nil
    }

    /// The JSON of a part, as far as there is one.
    package func json(at pointer: JSONPointer) -> SharedBytes? {
        guard let json, let range = pointer.range(in: json.bytes.span) else { return nil }
        return SharedBytes(Array(json.bytes[range]))
    }

    /// Finds the parts that have clients in the JSON of this version, as far as something may have become
    /// of them, and returns those that differ, or were not there and may be now.
    func updateParts(at version: UInt64) -> [Projection] {
        guard !parts.isEmpty else { return [] }
        let changes = partChanges()
        let touched = parts.indices.filter { changes[$0] != .nothing }
        let bytes = touched.isEmpty ? nil : json?.bytes
        let ranges = bytes.map { search(touched).ranges(in: $0.span) }
        var changed: [Projection] = []
        for (place, index) in touched.enumerated() {
            let part = parts[index]
            let slice = bytes.flatMap { bytes in ranges?[place].map { bytes[$0] } }
            guard part.json?.bytes[...] != slice else { continue }
            changed.append(part)
            if part.isAbsence { continue }
            var patch: JSONPatch?
            if case .patch(let known) = changes[index] { patch = known }
            part.show(slice.map { SharedBytes(Array($0)) }, by: patch, at: version)
            part.noteChange(at: version)
        }
        for part in parts { part.confirm(at: version) }
        return changed
    }

    /// What has become of each part since it was last found.
    private func partChanges() -> [PartChange] {
        let changes = lastPatch?.patch.changes(of: parts.map(\.pointer))
        return parts.indices.map { index in
            guard let found = parts[index].encodedAt, let renewedAt else { return .unknown }
            if found >= renewedAt { return .nothing }
            guard let changes, let lastPatch, found >= lastPatch.since else { return .unknown }
            return changes[index]
        }
    }

    /// The way from the base; empty where it is no part.
    private var pointer: JSONPointer {
        if case .part(let pointer, _) = kind { pointer } else { JSONPointer() }
    }

    private func search(_ touched: [Int]) -> PointerTree {
        guard touched.count == parts.count else {
            return PointerTree(touched.map { parts[$0].pointer })
        }
        if let pointers { return pointers }
        let made = PointerTree(parts.map(\.pointer))
        pointers = made
        return made
    }

    // MARK: Patches

    /// A client asks for patches: they are kept from here on.
    ///
    /// - Parameters:
    ///   - byteLimit: the memory for them.
    ///   - skipsStates: see `PatchHistory`.
    func keepPatches(byteLimit: Int, skipsStates: Bool = false) {
        let known =
            patches
            ?? PatchHistory(
                since: min(changedAt, encodedAt ?? changedAt), skipsStates: skipsStates)
        known.noteUse(byteLimit: byteLimit)
        patches = known
    }

    /// The patches do not go back to a version, and the journal may have earlier ones.
    func lacksPatches(since version: UInt64) -> Bool { patches?.lacks(since: version) ?? true }

    /// Takes in what leads on from a version to the patches that are there.
    func takePatches(of entries: [EncodedEntry]?, behind version: UInt64) {
        patches?.takeEarlier(entries, behind: version)
    }

    /// The part of the whole state that it is, as long as no patch leads on from what it showed at a
    /// version.
    package func pointer(lackingPatchesSince version: UInt64) -> JSONPointer? {
        guard case .part(let pointer, let base) = kind, case .whole = base.kind,
            patches?.start(of: version) == nil
        else { return nil }
        return pointer
    }

    /// The operations that lead from what it showed in a state of before to its value, none where that is
    /// the same; nil where there was nothing, or the value itself is shorter.
    package func operations(from state: [UInt8], at pointer: JSONPointer) -> [UInt8]? {
        guard let json, let range = pointer.range(in: state.span),
            max(json.count, range.count) <= Self.comparedByteCount
        else { return nil }
        let former = Array(state[range])
        guard former != json.bytes else { return [] }
        let patch = JSONPatch.difference(from: former.span, to: json.bytes.span)
        return patch.flatMap { $0.operations.count <= json.count ? $0.operations : nil }
    }

    /// Lets go of patches that no client asks for any more.
    ///
    /// - Parameter byteLimit: the memory for those that stay.
    /// - Returns: the instant at which they go next; nil where none do.
    func agePatches(isTight: Bool, byteLimit: Int, at now: Instant) -> Instant? {
        guard let patches else { return nil }
        let end = patches.age(byteLimit: byteLimit, at: now)
        guard let end, isTight || now >= end else { return end }
        self.patches = nil
        if hasClients { dropForm() } else { drop() }
        return nil
    }

    /// Lets go of the form, where its JSON is shorter: what is shown next is compared with the text.
    func dropForm(below least: Int = .max) {
        guard let form, form.byteCount < least else { return }
        _ = json
        self.form = nil
    }

    /// Some watchers that are sent patches more, or less.
    package func addPatchWatchers(_ count: Int) { patches?.addWatchers(count) }

    /// The form of the value, where it is there and as of this change of the state.
    func form(asOf lastChange: UInt64) -> EncodedForm? {
        encodedAt.map { $0 >= lastChange } ?? false ? form : nil
    }

    /// The way from the value that a client has seen at a version to the present one.
    package func catchUp(from version: UInt64) -> CatchUp {
        guard let byteCount, let patches else { return .snapshot }
        return patches.catchUp(from: version, limit: byteCount)
    }

    /// The version since which the value was shown that a client has seen at a version, as patches
    /// lead on from there; nil where that is not known.
    package func start(of version: UInt64) -> UInt64? { patches?.start(of: version) }
}
