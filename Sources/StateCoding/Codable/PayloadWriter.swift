/// Writes actions and the values of enum cases, whose keys decide what brackets they stand in.
struct PayloadWriter {
    let document: DocumentEncoder

    /// Writes an action: `{"type":"home/searchEdited","payload":{"text":"bre"}}`.
    func writeAction<Action: Encodable>(_ action: Action) throws {
        document.writer.append(literal: #"{"type":""#)
        document.valueStart = document.written
        document.actionBase = 0
        document.nesting = 1
        try document.encodeOwnForm(action)
        document.closeFrames(to: 0)
        document.writer.append(literal: "}")
    }

    /// Begins a member of the innermost frame, whatever its kind; for a payload `hasSecond` says
    /// whether its keys know a second unlabelled value.
    func beginPayload(_ name: String, hasSecond: () -> Bool) throws {
        switch document.frames.topKind {
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
            openActionPayload(as: hasSecond() ? .payloadList : .payload)
        case .actionCase:
            openActionPayload(as: .actionPayload)
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
        guard document.frames.topKind == .action else { return nil }
        guard document.written == document.frames.topStart else {
            throw document.fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
        guard !document.path.isJoined else {
            document.frames.turnTop(into: .actionGroup)
            joinSegment(segment)
            return document.frames.push(.joinedCase, start: document.written)
        }
        document.writer.append(unquoted: segment)
        return document.frames.push(.actionCase, start: document.written)
    }

    /// Lets the type path go on if this value of an action's case is a group: its only one, or the
    /// last one behind labelled values.
    func enterGroup(_ frame: FrameID, key: String) -> Bool {
        guard document.frames.isTop(frame), key.isUnlabelled else { return false }
        switch document.frames.topKind {
        case .actionCase where key == "_0":
            document.writer.bytes.append(UInt8(ascii: "/"))
            document.frames.turnTop(into: .actionGroup)
        case .actionCase:
            // All labelled values before it are nil.
            openActionPayload(as: .actionPayload)
            document.path.join()
        case .actionPayload: document.path.join()
        case .joinedCase: break
        case .object, .array, .nested, .payload, .payloadList, .action, .actionGroup: return false
        }
        return true
    }

    /// Writes the next segment of the type path, before the payload that is already open.
    func joinSegment(_ segment: String) {
        let end = document.path.end
        document.insert(document.path.goOn(with: segment), at: end)
    }

    /// Begins the unlabelled values of a case that join a payload: a member with the case's name.
    private func beginJoinedValues(areSeveral: Bool) {
        document.writer.name(document.path.caseName)
        guard areSeveral else { return document.frames.turnTop(into: .payload) }
        turnTop(into: .payloadList)
    }

    /// Has the innermost frame begin here, with its bracket where it has one.
    private func turnTop(into kind: EncodingFrame.Kind) {
        document.frames.turnTop(into: kind, start: document.written)
        guard let bracket = kind.opening else { return }
        document.nesting += 1
        document.writer.bytes.append(bracket)
    }

    /// Ends the type path and begins the payload: an object, an array, or one value.
    private func openActionPayload(as kind: EncodingFrame.Kind) {
        document.path.payloadBegins(behind: document.written)
        document.writer.append(literal: #"","payload":"#)
        turnTop(into: kind)
    }

    private func mixedLabels() -> EncodingFailure {
        document.fail(
            .mixedLabels, "A case has labelled and unlabelled values: label all, or none.")
    }
}

/// The type path of an action whose payload is begun: where a group stands behind labelled values,
/// the path goes on before that payload, which the values inside of the group join.
///
///     .row(id: "7", .renamed(name: "Milk"))
///     {"type":"row","payload":{"id":"7"  →  {"type":"row/renamed","payload":{"id":"7"
struct JoinedPath {
    /// The offset behind the path as far as it is written.
    private(set) var end = 0
    /// A group stands behind labelled values.
    private(set) var isJoined = false
    /// The name of the case whose values join the payload.
    private(set) var caseName = ""

    /// The payload begins, and the path ends at an offset.
    mutating func payloadBegins(behind offset: Int) { end = offset }

    /// The path goes on although the payload is begun.
    mutating func join() { isJoined = true }

    /// Goes on with a segment; answers with the bytes that are to be put in at the former end.
    mutating func goOn(with segment: String) -> [UInt8] {
        var text = JSONWriter()
        text.append(literal: "/")
        text.append(unquoted: segment)
        end += text.count
        caseName = segment
        return text.finish()
    }
}
