/// Actions, and the values of enum cases, whose keys decide what brackets they stand in.
extension DocumentEncoder {
    /// Writes the payload of an action, if it has one; answers with its type path.
    func writeAction<Action: Encodable>(_ action: Action) throws -> [UInt8] {
        actionBase = 0
        nesting = 1
        try encodeOwnForm(action)
        closeFrames(to: 0)
        return path.text.bytes
    }

    /// Begins a member of the innermost frame, whatever its kind; for a payload `hasSecond` says
    /// whether its keys know a second unlabelled value.
    func beginPayload(_ name: String, hasSecond: () -> Bool) throws {
        switch frames.top.kind {
        case .object: writer.name(name)
        case .nested where !name.isUnlabelled, .actionPayload where !name.isUnlabelled,
            .joinedCase where !name.isUnlabelled:
            writer.name(name)
        case .nested:
            guard writer.bytes.last == UInt8(ascii: "{") else { throw mixedLabels() }
            writer.bytes.removeLast()
            if hasSecond() {
                writer.bytes.append(UInt8(ascii: "["))
                frames.turnTop(into: .payloadList)
            } else {
                nesting -= 1
                frames.turnTop(into: .payload)
            }
        case .payloadList where name.isUnlabelled:
            writer.separateElement()
        case .joinedCase:
            beginJoinedValues(areSeveral: hasSecond())
        case .payload, .payloadList, .actionPayload, .actionGroup:
            throw mixedLabels()
        case .actionCase where name.isUnlabelled:
            turnTop(into: hasSecond() ? .payloadList : .payload)
        case .actionCase:
            turnTop(into: .actionPayload)
            writer.name(name)
        case .action, .array, .refused:
            throw fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
    }

    /// The frame of a case whose segment of the type path is written here, if `frame` is an
    /// action's enum; −1 where it cannot be opened.
    func openActionCase(_ frame: Int, segment: String) -> Int? {
        if frames.isTopObject(frame) { return nil }
        // Where it is closed, it is no action's either.
        guard let level = frames.level(of: frame) else { return nil }
        closeFrames(to: level)
        guard frames.top.kind == .action else { return nil }
        guard path.text.count == frames.top.start else {
            _ = fail(.notAnAction, "An action must be an enum with synthesized coding.")
            return -1
        }
        path.append(segment)
        let kind: EncodingFrame.Kind = path.isJoined ? .joinedCase : .actionCase
        return frames.push(kind, start: written)
    }

    /// Lets the type path go on if this value of an action's case is a group: its only one, or the
    /// last one behind labelled values.
    func enterGroup(_ frame: Int, key: String) -> Bool {
        guard frames.isTop(frame), key.isUnlabelled else { return false }
        switch frames.top.kind {
        case .actionCase where key == "_0": frames.turnTop(into: .actionGroup)
        case .actionCase:
            // All labelled values before it are nil.
            turnTop(into: .actionPayload)
            path.isJoined = true
        case .actionPayload: path.isJoined = true
        case .joinedCase: break
        case .object, .array, .nested, .payload, .payloadList, .action, .actionGroup, .refused:
            return false
        }
        return true
    }

    /// Begins the unlabelled values of a case that join a payload: a member with the case's name.
    private func beginJoinedValues(areSeveral: Bool) {
        writer.name(path.caseName)
        turnTop(into: areSeveral ? .payloadList : .payload)
    }

    /// Has the innermost frame begin here, with its bracket where it has one.
    private func turnTop(into kind: EncodingFrame.Kind) {
        frames.turnTop(into: kind, start: written)
        guard let (opening, _) = kind.brackets else { return }
        nesting += 1
        writer.bytes.append(opening)
    }

    private func mixedLabels() -> EncodingFailure {
        fail(
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
