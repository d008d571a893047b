/// One open container of an ``DocumentEncoder``.
struct EncodingFrame {
    /// What is open. No raw values: comparing kinds that have them is a generic call.
    enum Kind {
        /// `{` is written; members follow.
        case object
        /// `[` is written; elements follow.
        case array
        /// A keyed container inside another: `{` is written, but if the first key is `_0` these
        /// are the unlabelled values of an enum's case, and it is taken back.
        case nested
        /// The one unlabelled value of a case stands for the whole.
        case payload
        /// `[` is written: several unlabelled values of a case.
        case payloadList
        /// An action's enum: its one case is the next segment of the type path.
        case action
        /// A case of an action's enum: its segment is written, its payload not yet.
        case actionCase
        /// `{` is written: labelled values of an action's case.
        case actionPayload
        /// A case of an action's enum that holds a group: the type path goes on.
        case actionGroup
        /// A case inside of a group whose values join the open payload of a case before.
        case joinedCase

        /// A bracket is written, and what is inside has a name or an index.
        var isContainer: Bool {
            switch self {
            case .object, .array, .nested, .payloadList, .actionPayload: true
            case .payload, .action, .actionCase, .actionGroup, .joinedCase: false
            }
        }

        /// The byte that begins it, where a bracket does.
        var opening: UInt8? {
            switch self {
            case .object, .nested, .actionPayload: UInt8(ascii: "{")
            case .array, .payloadList: UInt8(ascii: "[")
            case .payload, .action, .actionCase, .actionGroup, .joinedCase: nil
            }
        }

        /// The byte that ends it.
        var closing: UInt8? {
            switch self {
            case .object, .nested, .actionPayload: UInt8(ascii: "}")
            case .array, .payloadList: UInt8(ascii: "]")
            case .actionCase: UInt8(ascii: "\"")
            case .payload, .action, .actionGroup, .joinedCase: nil
            }
        }
    }

    var serial: Int
    var kind: Kind
    /// The offset of its first byte.
    var start: Int
}

/// The name by which a container finds its frame again; `serial` −1 names none.
struct FrameID {
    var serial: Int32
    var level: Int32

    static var none: FrameID { FrameID(serial: -1, level: 0) }
}
