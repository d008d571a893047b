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
        switch topKind {
        case .object:
            writer.appendName(name)
        case .nested where !name.isUnlabelled:
            writer.appendName(name)
        case .nested:
            guard writer.bytes.last == UInt8(ascii: "{") else { throw mixedLabels() }
            writer.bytes.removeLast()
            if hasSecond() {
                writer.bytes.append(UInt8(ascii: "["))
                turnTop(into: .payloadList)
            } else {
                nesting -= 1
                turnTop(into: .payload)
            }
        case .payloadList where name.isUnlabelled:
            writer.separateElement()
        case .payload, .payloadList, .actionGroup:
            throw mixedLabels()
        case .actionCase:
            try openActionPayload()
            try beginPayload(name, hasSecond: hasSecond)
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
        if topSerial == frame.serial, topKind == .object { return nil }
        try resolve(frame)
        guard topKind == .action else { return nil }
        guard written == topStart else {
            throw fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
        writer.append(unquoted: segment)
        return push(.actionCase, start: written)
    }

    /// Lets the type path go on if the one value of an action's case is a group.
    func enterGroup(_ frame: FrameID, key: String) throws -> Bool {
        guard topKind == .actionCase, topSerial == frame.serial, key == "_0" else { return false }
        writer.bytes.append(UInt8(ascii: "/"))
        turnTop(into: .actionGroup)
        return true
    }

    /// An encoder whose bytes go nowhere, to be given where all has failed.
    func detached() -> DocumentEncoder {
        let document = makeInner()
        document.failure = failure
        document.isInterleaved = isInterleaved
        return document
    }

    private func openActionPayload() throws {
        writer.append(literal: #"","payload":"#)
        topStart = written
        frames[level - 1].start = written
        nesting += 1
        writer.bytes.append(UInt8(ascii: "{"))
        turnTop(into: .nested)
    }

    private func mixedLabels() -> EncodingFailure {
        fail(.mixedLabels, "A case has labelled and unlabelled values: label all, or none.")
    }
}
