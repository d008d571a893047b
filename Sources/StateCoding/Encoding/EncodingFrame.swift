/// One open container of an ``DocumentEncoder``.
struct EncodingFrame {
    enum Kind: UInt8 {
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
        /// A case of an action's enum that holds a group: the type path goes on.
        case actionGroup
    }

    var serial: Int
    var kind: Kind
    /// The offset of its first byte.
    var start: Int

    /// The way to the value that is being written inside of these frames, found by reading what has
    /// been written: `bytes`.
    static func pointer(through frames: [EncodingFrame], in bytes: Span<UInt8>) -> JSONPointer {
        var tokens: [String] = []
        for (index, frame) in frames.enumerated() {
            let end = index + 1 < frames.count ? frames[index + 1].start : bytes.count
            precondition(frame.start <= end, "A frame begins before the frames inside of it.")
            switch frame.kind {
            case .object, .nested, .array, .payloadList:
                if let token = JSONScanner.lastToken(in: bytes.extracting(frame.start..<end)) {
                    tokens.append(token)
                }
            case .payload, .action, .actionCase, .actionGroup:
                break
            }
        }
        return JSONPointer(tokens: tokens)
    }
}

/// The name by which a container finds its frame again; `serial` −1 names none.
struct FrameID {
    var serial: Int32
    var level: Int32

    static var none: FrameID { FrameID(serial: -1, level: 0) }
}
