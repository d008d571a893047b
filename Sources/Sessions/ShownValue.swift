import Accounting
import Bytes
import StateCoding

/// The value that a projection shows, as text or in pieces: the versions of it that are known, and
/// the patches that led to it, as long as clients ask for them.
struct ShownValue {
    /// The version that the value was made of; nil where it is to be made anew.
    private(set) var encodedAt: UInt64?
    /// The JSON, as far as it is put together.
    private(set) var text: SharedBytes?
    /// A slot for the forms of the JSON that clients ask for; emptied when the JSON changes.
    var body: AnyObject?
    /// The version at which it was found to be another one than before.
    private(set) var renewedAt: UInt64?
    private var patches: KeptPatches?
    /// The input that a view's value was computed of, where the view compares that.
    private(set) var input: AnyObject?

    /// The number of bytes of the JSON; nil where it is out of scope.
    var byteCount: Int? { patches?.form?.byteCount ?? text?.count }

    /// The memory that it takes, as far as it is not counted by itself.
    var heldByteCount: Int { (text?.uncountedByteCount ?? 0) + (patches?.byteCount ?? 0) }

    /// The JSON; nil where it is out of scope. It is put together when it is first asked for, where
    /// there is a form.
    mutating func json() -> SharedBytes? {
        if text == nil, let form = patches?.form { text = SharedBytes(form.bytes()) }
        return text
    }

    // MARK: The value

    /// It is this JSON as of a version; nil where it is out of scope.
    ///
    /// - Parameter isShown: clients are shown each change.
    mutating func encoded(_ json: SharedBytes?, at version: UInt64, isShown: Bool) {
        let last = lastVersion(before: version, isShown: isShown)
        patches?.replace(text, by: json, until: last, at: version)
        text = json
        encodedAt = version
        renew(at: version)
    }

    /// It has this form as of a version, and a patch has led to it from the former one.
    mutating func encoded(_ change: EncodedChange, at version: UInt64, isShown: Bool) {
        let last = lastVersion(before: version, isShown: isShown)
        if patches?.form == nil || change.patch != nil {
            text = nil
            renew(at: version)
        }
        patches?.replace(by: change, until: last, at: version)
        encodedAt = version
    }

    /// A view has come to this as of a version.
    mutating func encoded(
        _ content: ViewContent, _ output: ViewOutput, at version: UInt64, isShown: Bool
    ) {
        input = output.input
        switch (content, output.change) {
        case (.unchanged, _): stayed(at: version)
        case (.outOfScope, _): wentOutOfScope(at: version, isShown: isShown)
        case (.encoded, let change?): encoded(change, at: version, isShown: isShown)
        case (.encoded, nil) where text?.bytes == output.bytes: stayed(at: version)
        case (.encoded, nil):
            encoded(SharedBytes(output.bytes), at: version, isShown: isShown)
        }
    }

    /// A view could not be written as of a version: it shows nothing, and is computed again at the
    /// next change.
    mutating func failed(at version: UInt64, isShown: Bool) {
        input = nil
        wentOutOfScope(at: version, isShown: isShown)
    }

    private mutating func wentOutOfScope(at version: UInt64, isShown: Bool) {
        if byteCount == nil {
            stayed(at: version)
        } else {
            encoded(nil, at: version, isShown: isShown)
        }
    }

    /// It is the same as of a later version.
    mutating func stayed(at version: UInt64) { encodedAt = version }

    private mutating func renew(at version: UInt64) {
        body = nil
        renewedAt = version
    }

    /// The last version before another at which the present value is known to have been shown.
    private func lastVersion(before version: UInt64, isShown: Bool) -> UInt64? {
        encodedAt.map { isShown ? version - 1 : $0 }
    }

    /// An output for a view's next value.
    var output: ViewOutput {
        if let patches { return .form(of: input, after: patches.form) }
        return .text(of: input, expected: text?.count ?? 0)
    }

    /// Lets go of the JSON, which is made again for the next client that needs it.
    mutating func drop() {
        text = nil
        patches?.keepForm(nil)
        body = nil
        input = nil
        encodedAt = nil
        renewedAt = nil
    }

    /// Begins anew, with a state of which nothing is known yet.
    mutating func begin(at version: UInt64) {
        drop()
        patches?.begin(at: version)
    }

    // MARK: Patches

    /// Patches that lead to the value are kept.
    var hasPatches: Bool { patches != nil }

    /// The form of the value, where it is there and as of this change of the state.
    func form(asOf lastChange: UInt64) -> EncodedForm? {
        encodedAt.map { $0 >= lastChange } ?? false ? patches?.form : nil
    }

    /// The form that patches lead on from; nil where the next value is a new beginning.
    var form: EncodedForm? { patches?.form }

    /// A form stands for the present JSON, which clients are sent as it is written in the form.
    mutating func keepForm(_ form: EncodedForm) {
        text = nil
        body = nil
        patches?.keepForm(form)
    }

    /// The JSON is its own form, until the value is encoded anew.
    mutating func keepTextAsForm() {
        guard patches != nil, patches?.form == nil, let text else { return }
        patches?.keepForm(EncodedForm(json: text.bytes))
    }

    /// A client asks for patches: they are kept from here on.
    ///
    /// - Parameters:
    ///   - changedAt: a version since which the value has not changed.
    ///   - byteLimit: the memory for them.
    mutating func keepPatches(since changedAt: UInt64, byteLimit: Int) {
        let since = min(changedAt, encodedAt ?? changedAt)
        if patches == nil { patches = KeptPatches(since: since, byteLimit: byteLimit) }
        patches?.noteUse(byteLimit: byteLimit)
    }

    /// Some watchers that are sent patches more, or less.
    mutating func addPatchWatchers(_ count: Int) { patches?.addWatchers(count) }

    /// The instant at which patches go, unless a client asks for them before; nil where none do.
    var endOfPatches: Instant? { patches?.end }

    /// Lets go of patches that no client asks for any more.
    ///
    /// - Parameter byteLimit: the memory for those that stay.
    mutating func agePatches(isTight: Bool, byteLimit: Int, isShown: Bool, at now: Instant) {
        patches?.age(byteLimit: byteLimit, at: now)
        guard patches?.isUnused(isTight: isTight, at: now) ?? false else { return }
        if isShown, form != nil {
            // What is shown next is compared with the text.
            text = json()
        } else if form != nil {
            drop()
        }
        patches = nil
    }

    /// The way from the value that a client has seen at a version to the present one.
    func catchUp(from version: UInt64) -> CatchUp {
        guard let byteCount, let patches else { return .snapshot }
        return patches.catchUp(from: version, limit: byteCount)
    }

    /// The version since which the value was shown that a client has seen at a version: patches lead
    /// on from there. The present one's where that is it; nil where none is known.
    func start(of version: UInt64) -> UInt64? { patches?.start(of: version) }
}
