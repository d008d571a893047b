/// A reducer's or a middleware's no, with its reason: an outcome, not a failure.
public struct Rejection: Error, Sendable, Hashable {
    /// An action is wrong in itself, comes at the wrong time, or from the wrong principal.
    public enum Kind: String, Sendable, Hashable {
        /// It would be wrong at any time (422 on the wire).
        case invalid
        /// The state does not allow it now (409 on the wire).
        case conflict
        /// This principal may not do it (403 on the wire).
        case forbidden
    }

    /// One of several reasons.
    public struct Fault: Sendable, Hashable, Codable {
        /// Stable and in kebab case.
        public var code: String
        /// A sentence for people.
        public var message: String
        /// The place within the payload: `email`, or `lines/0/price`; nil for the whole action.
        public var field: String?
    }

    /// Stable and in kebab case, for programs: `"empty-comment"`.
    public var code: String
    /// A sentence for people.
    public var message: String
    /// Wrong in itself, at the wrong time, or from the wrong principal.
    public var kind: Kind
    /// The place within the payload: `email`, or `lines/0/price`; nil for the whole action.
    public let field: String?
    /// The reasons besides the first, which `check` has found.
    public internal(set) var others: [Fault] = []
    /// The library has made it, not an application: its code is one of the server's.
    package internal(set) var isOfLibrary = false

    /// A no.
    ///
    /// - Parameter field: the place within the payload that it is about, as a JSON Pointer without
    ///   the first slash.
    public init(
        _ code: String, _ message: String, kind: Kind = .invalid, field: String? = nil
    ) {
        self.code = code
        self.message = message
        self.kind = kind
        self.field = field
    }

    /// All reasons, this one first.
    public var faults: [Fault] {
        [Fault(code: code, message: message, field: field)] + others
    }

    /// Throws where there is a fault: the first one, with all others beside it.
    ///
    ///     try Rejection.check(
    ///         name.isEmpty ? Rejection("empty", "Say a name.", field: "name") : nil,
    ///         price < 0 ? Rejection("negative", "Not below zero.", field: "price") : nil)
    public static func check(_ faults: Rejection?...) throws(Rejection) {
        let found = faults.compactMap { $0 }
        guard var first = found.first else { return }
        first.others += found.dropFirst().flatMap(\.faults)
        throw first
    }
}

extension Rejection {
    static let tooManyActions = Rejection(
        ofLibrary: "too-many-queued", "Too many actions wait.")
    package static let chainCut = Rejection(
        ofLibrary: "chain-cut", "Too much follows from one action.")
    static let tooManyEffects = Rejection(
        ofLibrary: "too-many-effects", "Too many effects are under way.")
    /// The action needs a principal that the server knows; see ``Step/signedIn()``.
    public static let notSignedIn = Rejection(
        "not-signed-in", "Sign in first.", kind: .forbidden)
    /// The part of the state that the action is about is not there any more.
    public static let outOfScope = Rejection(
        "out-of-scope", "It is not there any more.", kind: .conflict)

    /// One of another process; nil without a fault.
    package init?(_ faults: [Fault], kind: Kind, isOfLibrary: Bool) {
        guard let first = faults.first else { return nil }
        self.init(first.code, first.message, kind: kind, field: first.field)
        others += faults.dropFirst()
        self.isOfLibrary = isOfLibrary
    }

    private init(ofLibrary code: String, _ message: String) {
        self.init(code, message, kind: .conflict)
        isOfLibrary = true
    }
}

extension FixedWidthInteger {
    /// Adds a number that comes from outside; a rejection `out-of-range` where no integer of the type
    /// holds the sum, where `+=` would end the process.
    ///
    ///     case .incremented(let by): try state.count.add(by, field: "by")
    ///
    /// - Parameter field: the place of the number in the action's payload.
    @inlinable
    public mutating func add(_ number: Self, field: String? = nil) throws(Rejection) {
        let (sum, overflow) = addingReportingOverflow(number)
        if overflow { throw .outOfRange(field) }
        self = sum
    }

    /// Subtracts a number that comes from outside; a rejection `out-of-range` where no integer of the
    /// type holds the difference, where `-=` would end the process.
    ///
    /// - Parameter field: the place of the number in the action's payload.
    @inlinable
    public mutating func subtract(_ number: Self, field: String? = nil) throws(Rejection) {
        let (difference, overflow) = subtractingReportingOverflow(number)
        if overflow { throw .outOfRange(field) }
        self = difference
    }
}

extension Rejection {
    @usableFromInline
    static func outOfRange(_ field: String?) -> Rejection {
        Rejection("out-of-range", "No integer holds the result.", field: field)
    }
}
