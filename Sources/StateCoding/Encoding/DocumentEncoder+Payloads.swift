extension DocumentEncoder {
    /// Writes an action: `{"type":"home/searchEdited","payload":{"text":"bre"}}`.
    func encodeAction<Action: Encodable>(_ action: Action) throws {
        writer.append(literal: #"{"type":""#)
        valueStart = written
        actionBase = 0
        nesting = 1
        try encodeOwnForm(action)
        closeFrames(to: 0)
        writer.append(literal: "}")
    }

    /// Begins a member of the innermost frame, whatever its kind; for a payload `hasSecond` says
    /// whether its keys know a second unlabelled value.
    func beginPayload(_ name: String, hasSecond: () -> Bool) throws {
        switch frames.topKind {
        case .object:
            writer.appendName(name)
        case .nested where !name.isUnlabelled:
            writer.appendName(name)
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
        case .actionPayload where !name.isUnlabelled, .joinedCase where !name.isUnlabelled:
            writer.appendName(name)
        case .joinedCase:
            beginJoinedValues(areSeveral: hasSecond())
        case .payload, .payloadList, .actionPayload, .actionGroup:
            throw mixedLabels()
        case .actionCase where name.isUnlabelled:
            openActionPayload(as: hasSecond() ? .payloadList : .payload)
        case .actionCase:
            openActionPayload(as: .actionPayload)
            writer.appendName(name)
        case .action, .array:
            throw fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
    }

    /// Begins a member that is no payload.
    func beginMember(_ name: String) throws {
        try beginPayload(name) { false }
    }

    /// The frame of a case whose segment of the type path is written here, if `frame` is an
    /// action's enum.
    func openActionCase(_ frame: FrameID, segment: String) throws -> FrameID? {
        if frames.isTopObject(frame) { return nil }
        try resolve(frame)
        guard frames.topKind == .action else { return nil }
        guard written == frames.topStart else {
            throw fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
        guard !path.isJoined else {
            frames.turnTop(into: .actionGroup)
            joinSegment(segment)
            return frames.push(.joinedCase, start: written)
        }
        writer.append(unquoted: segment)
        return frames.push(.actionCase, start: written)
    }

    /// Lets the type path go on if this value of an action's case is a group: its only one, or the
    /// last one behind labelled values.
    func enterGroup(_ frame: FrameID, key: String) -> Bool {
        guard frames.isTop(frame), key.isUnlabelled else { return false }
        switch frames.topKind {
        case .actionCase where key == "_0":
            writer.bytes.append(UInt8(ascii: "/"))
            frames.turnTop(into: .actionGroup)
        case .actionCase:
            // All labelled values before it are nil.
            openActionPayload(as: .actionPayload)
            path.join()
        case .actionPayload: path.join()
        case .joinedCase: break
        case .object, .array, .nested, .payload, .payloadList, .action, .actionGroup: return false
        }
        return true
    }

    /// Writes the next segment of the type path, before the payload that is already open.
    func joinSegment(_ segment: String) {
        let end = path.end
        insert(path.goOn(with: segment), at: end)
    }

    /// Begins the unlabelled values of a case that join a payload: a member with the case's name.
    private func beginJoinedValues(areSeveral: Bool) {
        writer.appendName(path.caseName)
        if areSeveral { turnTop(into: .payloadList) } else { frames.turnTop(into: .payload) }
    }

    /// Has the innermost frame begin here, with its bracket where it has one.
    private func turnTop(into kind: EncodingFrame.Kind) {
        frames.turnTop(into: kind, start: written)
        guard let bracket = kind.opening else { return }
        nesting += 1
        writer.bytes.append(bracket)
    }

    /// An encoder whose bytes go nowhere, to be given where all has failed.
    func detached() -> DocumentEncoder {
        let document = makeInner()
        document.failure = failure
        document.isInterleaved = isInterleaved
        return document
    }

    /// Ends the type path and begins the payload: an object, an array, or one value.
    private func openActionPayload(as kind: EncodingFrame.Kind) {
        path.payloadBegins(behind: written)
        writer.append(literal: #"","payload":"#)
        turnTop(into: kind)
    }

    private func mixedLabels() -> EncodingFailure {
        fail(.mixedLabels, "A case has labelled and unlabelled values: label all, or none.")
    }
}
