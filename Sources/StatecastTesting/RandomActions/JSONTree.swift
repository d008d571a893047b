import Redux
import StateCoding

/// A JSON value that can be made simpler.
indirect enum JSONTree {
    case text(String)
    case number(Int)
    case array([JSONTree])
    case object([(name: String, value: JSONTree)])
    /// As it was written: null, a boolean, or a number with a fraction.
    case other([UInt8])

    init(_ value: JSONValue) {
        if let text = value.string {
            self = .text(text)
        } else if let number = value.integer {
            self = .number(number)
        } else if let elements = value.elements {
            self = .array(elements.map(JSONTree.init))
        } else if let members = value.members {
            self = .object(members.map { ($0.name, JSONTree($0.value)) })
        } else {
            self = .other(value.json)
        }
    }

    /// The value as JSON.
    var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.finish()
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .text(let text): writer.value(text)
        case .number(let number): writer.value(number)
        case .other(let json): writer.value(json: json.span)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.name(name)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    /// The same value with other texts.
    func replacingTexts(_ replacement: (String) -> String) -> JSONTree {
        switch self {
        case .text(let text): .text(replacement(text))
        case .array(let elements): .array(elements.map { $0.replacingTexts(replacement) })
        case .object(let members):
            .object(members.map { ($0.name, $0.value.replacingTexts(replacement)) })
        case .number, .other: self
        }
    }

    /// All texts in the value.
    var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .array(let elements): elements.flatMap(\.texts)
        case .object(let members): members.flatMap(\.value.texts)
        case .number, .other: []
        }
    }

    /// The values that are simpler by one change, the simplest first. Each is shorter, or a smaller
    /// number: whatever is made simpler again and again comes to an end.
    var simpler: [JSONTree] {
        switch self {
        // A secret is written as another text than it is read from.
        case .text(Secret<String>.redacted): return []
        case .text(let text):
            var texts = text.isEmpty ? [] : [""]
            if text.count > 1 { texts += ["a", String(text.prefix(text.count / 2))] }
            return texts.map(JSONTree.text)
        case .number(let number):
            var numbers = number == 0 ? [] : [0]
            if number < 0 { numbers.append(number == .min ? .max : -number) }
            if number.magnitude > 1 { numbers += [1, number / 2] }
            if number > 2 { numbers.append(number - 1) }
            return numbers.map(JSONTree.number)
        case .array(let elements):
            let fewer = elements.indices.map { index in
                var rest = elements
                rest.remove(at: index)
                return JSONTree.array(rest)
            }
            let simpler = Self.simplified(elements, value: { $0 }, with: { $1 })
            return fewer + simpler.map(JSONTree.array)
        case .object(let members):
            let fewer = members.indices.map { index in
                var rest = members
                rest.remove(at: index)
                return JSONTree.object(rest)
            }
            let simpler = Self.simplified(members, value: \.value, with: { ($0.name, $1) })
            return fewer + simpler.map(JSONTree.object)
        case .other: return []
        }
    }

    /// The lists in which one element is simpler.
    private static func simplified<Element>(
        _ list: [Element], value: (Element) -> JSONTree,
        with change: (Element, JSONTree) -> Element
    ) -> [[Element]] {
        list.indices.flatMap { index in
            value(list[index]).simpler.map { simpler in
                var other = list
                other[index] = change(list[index], simpler)
                return other
            }
        }
    }
}
