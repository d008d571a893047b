extension DocumentEncoder {
    /// Opens an object for the value now encoded, or shares the one that is open for it.
    func openObject() -> FrameID {
        if frames.level > base { return share(.object) }
        if base == actionBase { return frames.push(.action, start: written) }
        refuseSecondValue()
        guard failure == nil else { return .none }
        return openBracket(.object)
    }

    /// Opens an array for the value now encoded, or shares the one that is open for it.
    func openArray() -> FrameID {
        if frames.level > base { return share(.array) }
        refuseSecondValue()
        guard failure == nil else { return .none }
        return openBracket(.array)
    }

    /// Opens a container with its bracket.
    func openBracket(_ kind: EncodingFrame.Kind) -> FrameID {
        guard nesting < maximumDepth else {
            _ = fail(.tooDeep, "Nested deeper than \(maximumDepth) levels.")
            return .none
        }
        nesting += 1
        let start = written
        if let bracket = kind.opening { writer.bytes.append(bracket) }
        return frames.push(kind, start: start)
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
        if let frame = frames.top(kind) { return frame }
        _ = fail(.refused, "A type encoded both an object and an array for one value.")
        return .none
    }

    /// Makes the container's frame the innermost by closing what was opened inside it.
    func resolve(_ frame: FrameID) throws {
        if let failure { throw failure }
        guard frames.holds(frame) else {
            isInterleaved = true
            throw InterleavedWriting()
        }
        closeFrames(to: Int(frame.level) + 1)
    }

    /// Closes all frames from `target` up.
    @inline(__always)
    func closeFrames(to target: Int) {
        while frames.level > target { closeTop() }
    }

    private func closeTop() {
        let (kind, start) = (frames.topKind, frames.topStart)
        frames.pop()
        if kind.isContainer { nesting -= 1 }
        if let closing = kind.closing { writer.bytes.append(closing) }
        if kind == .action, written == start {
            _ = fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
    }
}
