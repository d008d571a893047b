/// The open containers of a ``DocumentEncoder``, the innermost one last.
struct FrameStack {
    private var frames: [EncodingFrame] = []
    /// The number of open frames.
    private(set) var level = 0
    /// The innermost frame, beside the others because every member asks for it.
    private(set) var topSerial = -1
    private(set) var topKind = EncodingFrame.Kind.array
    private(set) var topStart = 0
    private var nextSerial = 0

    /// The name of a frame at a place in the stack that is opened last.
    private func id(at level: Int) -> FrameID {
        FrameID(serial: Int32(truncatingIfNeeded: topSerial), level: Int32(level))
    }

    /// The frame is the innermost one.
    @inline(__always)
    func isTop(_ frame: FrameID) -> Bool { topSerial == frame.serial }

    /// The frame is the innermost one, and an object's: its members are written as they come.
    @inline(__always)
    func isTopObject(_ frame: FrameID) -> Bool { topSerial == frame.serial && topKind == .object }

    /// The frame is open.
    func holds(_ frame: FrameID) -> Bool {
        let index = Int(frame.level)
        return frame.serial >= 0 && index < level && frames[index].serial == frame.serial
    }

    /// Opens a frame inside of the others.
    mutating func push(_ kind: EncodingFrame.Kind, start: Int) -> FrameID {
        frames.append(EncodingFrame(serial: nextSerial, kind: kind, start: start))
        topSerial = nextSerial
        topKind = kind
        topStart = start
        level += 1
        nextSerial += 1
        return id(at: level - 1)
    }

    /// Closes the innermost frame.
    mutating func pop() {
        precondition(level > 0 && level == frames.count, "The count of open frames is theirs.")
        level -= 1
        frames.removeLast()
        guard let top = frames.last else { return topSerial = -1 }
        topSerial = top.serial
        topKind = top.kind
        topStart = top.start
    }

    /// The innermost frame, which is of this kind; nil where it is of another.
    func top(_ kind: EncodingFrame.Kind) -> FrameID? {
        topKind == kind ? id(at: level - 1) : nil
    }

    /// Gives the innermost frame another kind.
    mutating func turnTop(into kind: EncodingFrame.Kind) {
        precondition(level > 0, "A frame that changes its kind is open.")
        frames[level - 1].kind = kind
        topKind = kind
    }

    /// Gives the innermost frame another kind and another beginning.
    mutating func turnTop(into kind: EncodingFrame.Kind, start: Int) {
        turnTop(into: kind)
        frames[level - 1].start = start
        topStart = start
    }

    /// Bytes were put in at an offset: what begins there or behind it has moved.
    mutating func shift(from offset: Int, by count: Int) {
        for index in frames.indices where frames[index].start >= offset {
            frames[index].start += count
        }
        if topStart >= offset { topStart += count }
    }

    /// The way to the value that is being written inside of these frames, found by reading what has
    /// been written: `bytes`.
    func pointer(in bytes: Span<UInt8>) -> JSONPointer {
        var tokens: [String] = []
        let containers = frames.filter(\.kind.isContainer)
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
