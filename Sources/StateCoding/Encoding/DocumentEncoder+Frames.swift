extension DocumentEncoder {
    /// Puts a frame on the stack.
    func push(_ kind: EncodingFrame.Kind, start: Int) -> FrameID {
        let id = FrameID(
            serial: Int32(truncatingIfNeeded: nextSerial), level: Int32(level))
        frames.append(EncodingFrame(serial: nextSerial, kind: kind, start: start))
        topSerial = nextSerial
        topKind = kind
        topStart = start
        level += 1
        nextSerial += 1
        return id
    }

    /// Opens an object for the value now encoded, or shares the one that is open for it.
    func openObject() -> FrameID {
        if level > base { return share(.object) }
        if base == actionBase { return push(.action, start: written) }
        refuseSecondValue()
        guard failure == nil else { return .none }
        return openBracket(UInt8(ascii: "{"), .object)
    }

    /// Opens an array for the value now encoded, or shares the one that is open for it.
    func openArray() -> FrameID {
        if level > base { return share(.array) }
        refuseSecondValue()
        guard failure == nil else { return .none }
        return openBracket(UInt8(ascii: "["), .array)
    }

    /// Writes an opening bracket and puts its frame on the stack.
    func openBracket(_ bracket: UInt8, _ kind: EncodingFrame.Kind) -> FrameID {
        guard nesting < maximumDepth else {
            _ = fail(.tooDeep, "Nested deeper than \(maximumDepth) levels.")
            return .none
        }
        nesting += 1
        let start = written
        writer.bytes.append(bracket)
        return push(kind, start: start)
    }

    private func refuseSecondValue() {
        if base == actionBase {
            _ = fail(.notAnAction, "An action must be an enum with synthesized coding.")
        } else if written != valueStart {
            _ = fail(.refused, "A type encoded two values for one.")
        }
    }

    private func share(_ kind: EncodingFrame.Kind) -> FrameID {
        closeFrames(to: base + 1)
        guard topKind == kind else {
            _ = fail(.refused, "A type encoded both an object and an array for one value.")
            return .none
        }
        return FrameID(serial: Int32(truncatingIfNeeded: topSerial), level: Int32(base))
    }

    /// Makes the container's frame the innermost by closing what was opened inside it.
    func resolve(_ frame: FrameID) throws {
        if let failure { throw failure }
        let index = Int(frame.level)
        guard frame.serial >= 0, index < level, frames[index].serial == frame.serial else {
            isInterleaved = true
            throw InterleavedWriting()
        }
        closeFrames(to: index + 1)
    }

    /// Closes all frames from `target` up.
    @inline(__always)
    func closeFrames(to target: Int) {
        while level > target { closeTop() }
    }

    private func closeTop() {
        let kind = topKind
        let start = topStart
        pop()
        switch kind {
        case .object, .nested, .actionPayload:
            nesting -= 1
            writer.bytes.append(UInt8(ascii: "}"))
        case .array, .payloadList:
            nesting -= 1
            writer.bytes.append(UInt8(ascii: "]"))
        case .actionCase:
            writer.bytes.append(UInt8(ascii: "\""))
        case .action:
            if written == start {
                _ = fail(.notAnAction, "An action must be an enum with synthesized coding.")
            }
        case .payload, .actionGroup, .joinedCase:
            break
        }
    }

    private func pop() {
        precondition(level == frames.count, "The count of open frames is the stack's.")
        level -= 1
        frames.removeLast()
        guard let top = frames.last else { return topSerial = -1 }
        topSerial = top.serial
        topKind = top.kind
        topStart = top.start
    }

    /// Gives the innermost frame another kind.
    func turnTop(into kind: EncodingFrame.Kind) {
        precondition(level > 0, "A frame that changes its kind is open.")
        frames[level - 1].kind = kind
        topKind = kind
    }
}
