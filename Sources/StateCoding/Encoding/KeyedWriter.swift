/// A keyed container over an ``EncodingCore``; the members go straight into its bytes.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let core: EncodingCore
    let frame: FrameID

    var codingPath: [any CodingKey] { core.codingPath }

    /// Writes the member's name, or what stands for it in a case's payload.
    @inline(__always)
    private func begin(_ key: Key) throws {
        if core.topSerial == frame.serial, core.topKind == .object {
            core.writer.appendName(key.stringValue)
        } else {
            try beginSlowly(key)
        }
    }

    @inline(never)
    private func beginSlowly(_ key: Key) throws {
        try core.resolve(frame)
        let name = key.stringValue
        if core.topKind == .object { return core.writer.appendName(name) }
        try core.beginPayload(name) { Key(stringValue: "_1") != nil }
    }

    func encodeNil(forKey key: Key) throws {
        try begin(key)
        core.writer.appendNull()
    }

    func encode(_ value: String, forKey key: Key) throws {
        if core.topSerial == frame.serial, core.topKind == .object {
            return core.writer.appendMember(key.stringValue, value)
        }
        try begin(key)
        core.writer.append(value)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        if core.topSerial == frame.serial, core.topKind == .object {
            return core.writer.appendMember(key.stringValue, value)
        }
        try begin(key)
        core.writer.append(value)
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        if core.topSerial == frame.serial, core.topKind == .object {
            return core.writer.appendMember(key.stringValue, value)
        }
        try begin(key)
        core.writer.append(value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try begin(key)
        core.writer.append(value)
    }

    func encode(_ value: Int128, forKey key: Key) throws {
        try begin(key)
        core.writer.append(integer: value)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        try begin(key)
        core.writer.append(integer: value)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let traits = core.traits(of: Value.self)
        if traits.isActionGroup, try core.enterGroup(frame, key: key.stringValue) {
            core.actionBase = core.level
            return try core.encodeOwnForm(value)
        }
        try begin(key)
        try core.encodeValue(value, as: traits)
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    /// A nil member is absent; a nil unlabelled value keeps its place as `null`.
    private func encodeAbsence(_ key: Key) throws {
        if core.topSerial == frame.serial, core.topKind == .object { return }
        try core.resolve(frame)
        if core.topKind != .object, key.stringValue.isUnlabelled { try encodeNil(forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        do {
            if try core.beginActionCase(frame, segment: key.stringValue) {
                let id = core.push(.actionCase, start: core.written)
                return KeyedEncodingContainer(KeyedWriter<Nested>(core: core, frame: id))
            }
            try begin(key)
        } catch {
            return KeyedEncodingContainer(KeyedWriter<Nested>(core: core, frame: .none))
        }
        let target = core.defersNested ? core.attach() : core
        let id = target.openBracket(UInt8(ascii: "{"), .nested)
        return KeyedEncodingContainer(KeyedWriter<Nested>(core: target, frame: id))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        do {
            try begin(key)
        } catch {
            return ElementWriter(core: core, frame: .none)
        }
        let target = core.defersNested ? core.attach() : core
        return ElementWriter(
            core: target, frame: target.openBracket(UInt8(ascii: "["), .array))
    }

    func superEncoder() -> any Encoder { superEncoder(named: "super") }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key.stringValue) }

    private func superEncoder(named name: String) -> any Encoder {
        do {
            try core.resolve(frame)
            try core.beginMember(name)
        } catch {
            return core.detached()
        }
        return core.attach()
    }
}

extension String {
    /// Whether this is the key that the compiler gives an enum's unlabelled value: `_0`, `_1`, ….
    var isUnlabelled: Bool {
        let text = utf8Span.span
        guard text.count >= 2, text[0] == UInt8(ascii: "_") else { return false }
        for index in 1..<text.count {
            guard text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") else {
                return false
            }
        }
        return true
    }
}
