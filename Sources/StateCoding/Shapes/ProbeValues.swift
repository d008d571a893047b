import Reflection

/// Values that are made up, one a type.
final class ProbeValues {
    private var made: [ObjectIdentifier: Any] = [:]
    /// The types of which values are being made up, inside each other.
    private var open: [ObjectIdentifier] = []
    /// The types of which none can be made up, each with the place in `open` of the outermost one
    /// that it would have needed.
    private var refusals: [ObjectIdentifier: (end: ProbeEnd, place: Int)] = [:]
    /// The place in `open` of the outermost type that was needed by the one inside of all.
    private var needed = Int.max

    /// - Parameter samples: what stands in these is a value of its type.
    init(samples: [Any] = []) {
        var waiting = samples[...]
        for _ in 0..<Self.sampleLimit {
            guard let sample = waiting.popFirst() else { return }
            made[ObjectIdentifier(type(of: sample))] = sample
            waiting += Mirror(reflecting: sample).children.map(\.value)
        }
    }

    /// So many parts of samples are looked at.
    private static let sampleLimit = 2_000

    private static let texts = [
        "", "a", "1", "2001-09-09T01:46:40.000Z", "https://example.com/a",
        "00000000-0000-4000-8000-000000000000", "a@example.com",
    ].map(Shape.constant)
    private static let numbers = ["0", "1", "20"]
    private static let others = ["false", "[]", "{}", "null"]

    /// A value of the type; throws where none is found.
    ///
    /// - Parameter variant: the place of the text or number that is tried first.
    func value<Value: Decodable>(
        _ type: Value.Type, _ variant: Int = 0
    ) throws(ProbeEnd) -> Value {
        let id = ObjectIdentifier(type)
        if TypeTraits.form(of: type).isScalar {
            let first = [Self.texts[variant], Self.numbers[variant % Self.numbers.count]]
            if let value = Self.decoded(type, first + Self.others + Self.texts) { return value }
        }
        if let value = made[id] as? Value { return value }
        if let refusal = refusals[id] {
            needed = min(needed, refusal.place)
            throw refusal.end
        }
        let value: Value
        if let known = Self.decoded(type, Self.texts + Self.numbers + Self.others) {
            value = known
        } else {
            value = try make(type)
        }
        made[id] = value
        return value
    }

    private static func decoded<Value: Decodable>(
        _ type: Value.Type, _ texts: [String]
    ) -> Value? {
        for json in texts {
            if let value = try? StateDecoder().decode(type, from: Array(json.utf8)) { return value }
        }
        return options(of: type)?.first?.value
    }

    /// A value by a run of its type's decoding. Each type is tried once, lest the time grows by a
    /// factor with each type around one of which none can be made up.
    private func make<Value: Decodable>(_ type: Value.Type) throws(ProbeEnd) -> Value {
        let id = ObjectIdentifier(type)
        if let place = open.firstIndex(of: id) { needed = min(needed, place) }
        guard open.count < 64, !open.contains(id) else { throw ProbeEnd(type: "\(type)") }
        let (place, before) = (open.count, needed)
        open.append(id)
        needed = Int.max
        defer {
            open.removeLast()
            needed = min(needed, before)
        }
        let probe = run(type)
        let value = probe.value as? Value ?? otherValue(type, probe)
        let end = ProbeEnd(type: probe.obstacle ?? "\(type)")
        if needed >= place { needed = Int.max }
        for (other, refusal) in refusals where (place..<Int.max).contains(refusal.place) {
            refusals[other] = value == nil ? (refusal.end, needed) : nil
        }
        if let value { return value }
        refusals[id] = (end, needed)
        throw end
    }

    /// A value with another key than the first one, where the type has one of several.
    private func otherValue<Value: Decodable>(_ type: Value.Type, _ probe: Probe) -> Value? {
        guard let object = probe.object, object.asksForKeys else { return nil }
        return object.keys.all?.lazy.compactMap { key in
            self.run(type, Probe.Script(key: key)).value as? Value
        }.first
    }

    /// The run of a type's decoding, with texts and numbers that the type takes if there are some.
    func run<Value: Decodable>(
        _ type: Value.Type, _ script: Probe.Script = Probe.Script()
    ) -> Probe {
        var best = Probe(type, script, from: self)
        for variant in 1..<Self.texts.count where best.value == nil && script.failureCount == 0 {
            var other = script
            other.variant = variant
            let probe = Probe(type, other, from: self)
            let isBetter = probe.object?.members.count ?? 0 > best.object?.members.count ?? 0
            if probe.value != nil || isBetter { best = probe }
        }
        return best
    }

    /// All values of a type that has a few, with their JSON; nil where they are not known.
    static func options<Value: Decodable>(
        of type: Value.Type
    ) -> [(value: Value, json: String)]? {
        if let both = [false, true] as? [Value] {
            return zip(both, ["false", "true"]).map { ($0, $1) }
        }
        guard EnumCases.isEnum(type), type is any RawRepresentable.Type,
            let values = KeyNames.values(of: type), (1...256).contains(values.count)
        else { return nil }
        var options: [(value: Value, json: String)] = []
        for value in values {
            let raw = (value as? any RawRepresentable)?.rawValue
            let text = (raw as? String).map(Shape.constant)
            guard let json = text ?? (raw as? any FixedWidthInteger).map({ "\($0)" }),
                (try? StateDecoder().decode(type, from: Array(json.utf8))) != nil
            else { return nil }
            options.append((value, json))
        }
        return options
    }
}
