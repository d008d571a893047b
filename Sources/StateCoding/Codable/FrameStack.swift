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
    @inline(__always)
    func isTop(_ frame: FrameID) -> Bool { top.serial == frame.serial }

    /// The frame is the innermost one, and an object's: its members are written as they come.
    @inline(__always)
    func isTopObject(_ frame: FrameID) -> Bool { top.serial == frame.serial && top.kind == .object }

    /// The frame is open.
    func holds(_ frame: FrameID) -> Bool {
        guard frame.serial >= 0 else { return false }
        return isTop(frame)
            || Int(frame.level) < level - 1 && outer[Int(frame.level) + 1].serial == frame.serial
    }

    /// The name of the innermost frame.
    private var topID: FrameID {
        FrameID(serial: Int32(truncatingIfNeeded: top.serial), level: Int32(level - 1))
    }

    /// Opens a frame inside of the others.
    mutating func push(_ kind: EncodingFrame.Kind, start: Int) -> FrameID {
        outer.append(top)
        top = EncodingFrame(serial: nextSerial, kind: kind, start: start)
        nextSerial += 1
        return topID
    }

    /// Closes the innermost frame.
    mutating func pop() { top = outer.removeLast() }

    /// The innermost frame, which is of this kind; nil where it is of another.
    func top(_ kind: EncodingFrame.Kind) -> FrameID? { top.kind == kind ? topID : nil }

    /// Gives the innermost frame another kind, and another beginning where one is given.
    mutating func turnTop(into kind: EncodingFrame.Kind, start: Int? = nil) {
        precondition(level > 0, "A frame that changes its kind is open.")
        top = EncodingFrame(serial: top.serial, kind: kind, start: start ?? top.start)
    }

    /// The way to the value that is being written inside of these frames, found by reading what has
    /// been written: `bytes`.
    func pointer(in bytes: Span<UInt8>) -> JSONPointer {
        var tokens: [String] = []
        let containers = (outer + [top]).filter { $0.serial >= 0 && $0.kind.isContainer }
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
            case .payload, .action, .actionCase, .actionGroup, .joinedCase: nil
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
