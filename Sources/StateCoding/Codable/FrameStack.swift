/// The open containers of a ``DocumentEncoder``, the innermost one last.
struct FrameStack {
    /// The frames around the innermost one, behind one that stands for none.
    private var outer: [EncodingFrame] = []
    /// The innermost frame, beside the others because every member asks for it.
    private(set) var top = EncodingFrame(serial: -1, kind: .array, start: 0)
    private var nextSerial = 0

    /// The number of open frames.
    var level: Int { outer.count }

    /// The frame is the innermost one.
    func isTop(_ serial: Int) -> Bool { top.serial == serial }

    /// The frame is the innermost one, and an object's: its members are written as they come.
    func isTopObject(_ serial: Int) -> Bool { top.serial == serial && top.kind == .object }

    /// The number of frames that are open together with this one and those around it; nil where it is
    /// closed.
    func level(of serial: Int) -> Int? {
        guard serial >= 0 else { return nil }
        return isTop(serial) ? level : outer.lastIndex { $0.serial == serial }
    }

    /// Opens a frame inside of the others; answers with its serial number, by which a container finds
    /// it again.
    mutating func push(_ kind: EncodingFrame.Kind, start: Int) -> Int {
        outer.append(top)
        top = EncodingFrame(serial: nextSerial, kind: kind, start: start)
        nextSerial += 1
        return top.serial
    }

    /// Closes the innermost frame.
    mutating func pop() { top = outer.removeLast() }

    /// Gives the innermost frame another kind, and another beginning where one is given.
    mutating func turnTop(into kind: EncodingFrame.Kind, start: Int? = nil) {
        precondition(level > 0, "A frame that changes its kind is open.")
        top = EncodingFrame(serial: top.serial, kind: kind, start: start ?? top.start)
    }

    /// The way to the value that is being written inside of these frames, found by reading what has
    /// been written: `bytes`.
    func pointer(in bytes: Span<UInt8>) -> JSONPointer {
        var tokens: [String] = []
        let containers = (outer + [top]).filter { $0.serial >= 0 && $0.kind.brackets != nil }
        for (index, frame) in containers.enumerated() {
            let end = index + 1 < containers.count ? containers[index + 1].start : bytes.count
            precondition(frame.start <= end, "A frame begins before the frames inside of it.")
            if let token = JSONScanner.lastToken(in: bytes.extracting(frame.start..<end)) {
                tokens.append(token)
            }
        }
        return JSONPointer(tokens: tokens)
    }
}

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
        /// A case of an action's enum: its payload is not begun yet.
        case actionCase
        /// `{` is written: labelled values of an action's case.
        case actionPayload
        /// A case of an action's enum that holds a group: the type path goes on.
        case actionGroup
        /// A case inside of a group whose values join the open payload of a case before.
        case joinedCase
        /// A member or an element that could not be encoded: what stands there is taken back.
        case refused

        /// The brackets around what is inside, which has names or indices, where there are any.
        var brackets: (opening: UInt8, closing: UInt8)? {
            switch self {
            case .object, .nested, .actionPayload: (UInt8(ascii: "{"), UInt8(ascii: "}"))
            case .array, .payloadList: (UInt8(ascii: "["), UInt8(ascii: "]"))
            case .payload, .action, .actionCase, .actionGroup, .joinedCase, .refused: nil
            }
        }
    }

    /// −1 of a frame that stands for none.
    var serial: Int
    var kind: Kind
    /// The offset of its first byte.
    var start: Int
}
