/// Writes actions and the values of enum cases, whose keys decide what brackets they stand in.
struct PayloadWriter {
    let document: DocumentEncoder

    /// Writes the payload of an action, if it has one; answers with its type path.
    func writeAction<Action: Encodable>(_ action: Action) throws -> [UInt8] {
        document.actionBase = 0
        document.nesting = 1
        try document.encodeOwnForm(action)
        document.closeFrames(to: 0)
        return document.path.text.bytes
    }

    /// Begins a member of the innermost frame, whatever its kind; for a payload `hasSecond` says
    /// whether its keys know a second unlabelled value.
    func beginPayload(_ name: String, hasSecond: () -> Bool) throws {
        switch document.frames.top.kind {
        case .object:
            document.writer.name(name)
        case .nested where !name.isUnlabelled:
            document.writer.name(name)
        case .nested:
            guard document.writer.bytes.last == UInt8(ascii: "{") else { throw mixedLabels() }
            document.writer.bytes.removeLast()
            if hasSecond() {
                document.writer.bytes.append(UInt8(ascii: "["))
                document.frames.turnTop(into: .payloadList)
            } else {
                document.nesting -= 1
                document.frames.turnTop(into: .payload)
            }
        case .payloadList where name.isUnlabelled:
            document.writer.separateElement()
        case .actionPayload where !name.isUnlabelled, .joinedCase where !name.isUnlabelled:
            document.writer.name(name)
        case .joinedCase:
            beginJoinedValues(areSeveral: hasSecond())
        case .payload, .payloadList, .actionPayload, .actionGroup:
            throw mixedLabels()
        case .actionCase where name.isUnlabelled:
            turnTop(into: hasSecond() ? .payloadList : .payload)
        case .actionCase:
            turnTop(into: .actionPayload)
            document.writer.name(name)
        case .action, .array:
            throw document.fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
    }

    /// Begins a member that is no payload.
    func beginMember(_ name: String) throws {
        try beginPayload(name) { false }
    }

    /// The frame of a case whose segment of the type path is written here, if `frame` is an
    /// action's enum.
    func openActionCase(_ frame: FrameID, segment: String) throws -> FrameID? {
        if document.frames.isTopObject(frame) { return nil }
        try document.resolve(frame)
        guard document.frames.top.kind == .action else { return nil }
        guard document.path.text.count == document.frames.top.start else {
            throw document.fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
        document.path.append(segment)
        let kind: EncodingFrame.Kind = document.path.isJoined ? .joinedCase : .actionCase
        return document.frames.push(kind, start: document.written)
    }

    /// Lets the type path go on if this value of an action's case is a group: its only one, or the
    /// last one behind labelled values.
    func enterGroup(_ frame: FrameID, key: String) -> Bool {
        guard document.frames.isTop(frame), key.isUnlabelled else { return false }
        switch document.frames.top.kind {
        case .actionCase where key == "_0": document.frames.turnTop(into: .actionGroup)
        case .actionCase:
            // All labelled values before it are nil.
            turnTop(into: .actionPayload)
            document.path.isJoined = true
        case .actionPayload: document.path.isJoined = true
        case .joinedCase: break
        case .object, .array, .nested, .payload, .payloadList, .action, .actionGroup: return false
        }
        return true
    }

    /// Begins the unlabelled values of a case that join a payload: a member with the case's name.
    private func beginJoinedValues(areSeveral: Bool) {
        document.writer.name(document.path.caseName)
        turnTop(into: areSeveral ? .payloadList : .payload)
    }

    /// Has the innermost frame begin here, with its bracket where it has one.
    private func turnTop(into kind: EncodingFrame.Kind) {
        document.frames.turnTop(into: kind, start: document.written)
        guard let bracket = kind.opening else { return }
        document.nesting += 1
        document.writer.bytes.append(bracket)
    }

    private func mixedLabels() -> EncodingFailure {
        document.fail(
            .mixedLabels, "A case has labelled and unlabelled values: label all, or none.")
    }
}

/// The type path of an action. Where a group stands behind labelled values, their payload is open while
/// the path goes on, and the values inside of the group join it.
///
///     .row(id: "7", .renamed(name: "Milk"))
///     row  {"id":"7"  →  row/renamed  {"id":"7","name":"Milk"
struct TypePath {
    private(set) var text = JSONWriter()
    /// The name of the case that was begun last.
    private(set) var caseName = ""
    /// A group stands behind labelled values.
    var isJoined = false

    mutating func append(_ segment: String) {
        if text.count > 0 { text.append(literal: "/") }
        text.append(unquoted: segment)
        caseName = segment
    }
}
