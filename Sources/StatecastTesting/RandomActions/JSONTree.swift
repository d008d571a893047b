import Redux
import StateCoding

/// A JSON value that can be changed: made simpler, or made up.
indirect enum JSONTree: Sendable {
    case text(String)
    case number(Int)
    case array([JSONTree])
    case object([(name: String, value: JSONTree)])
    /// As it was written: null, a boolean, or a number with a fraction.
    case other([UInt8])

    static let null = JSONTree.other(Array("null".utf8))

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
            writer.object { writer in
                for (name, value) in members {
                    writer.name(name)
                    value.write(to: &writer)
                }
            }
        }
    }

    // MARK: Changing

    /// The elements or the members' values.
    var children: [JSONTree] {
        switch self {
        case .array(let elements): elements
        case .object(let members): members.map(\.value)
        case .text, .number, .other: []
        }
    }

    /// The same container with other values in it.
    private func replacingChildren(_ children: [JSONTree]) -> JSONTree {
        switch self {
        case .array: .array(children)
        case .object(let members): .object(zip(members, children).map { ($0.name, $1) })
        case .text, .number, .other: self
        }
    }

    /// The same value with other texts.
    func replacingTexts(_ replacement: (String) -> String) -> JSONTree {
        if case .text(let text) = self { return .text(replacement(text)) }
        return replacingChildren(children.map { $0.replacingTexts(replacement) })
    }

    /// All texts in the value.
    var texts: [String] {
        if case .text(let text) = self { return [text] }
        return children.flatMap(\.texts)
    }

    /// The same value with another one at the end of a way, also where an object has no such member.
    func setting(_ value: JSONTree, at way: ArraySlice<String>) -> JSONTree {
        guard let token = way.first else { return value }
        switch self {
        case .array(var elements):
            guard let index = Int(token), index < elements.count else { return self }
            elements[index] = elements[index].setting(value, at: way.dropFirst())
            return .array(elements)
        case .object(var members):
            let index = members.firstIndex { $0.name == token } ?? members.endIndex
            if index == members.endIndex { members.append((token, .null)) }
            members[index].value = members[index].value.setting(value, at: way.dropFirst())
            return .object(members)
        case .text, .number, .other: return self
        }
    }

    /// The values that differ from this one at one place, as `change` says of what stands there.
    func changed(_ change: (JSONTree) -> [JSONTree]) -> [JSONTree] {
        let children = children
        let inside = children.indices.flatMap { index in
            children[index].changed(change).map { changed in
                var others = children
                others[index] = changed
                return replacingChildren(others)
            }
        }
        return change(self) + inside
    }

    /// The values that are simpler by one change, the simplest first. Each is shorter, or a smaller
    /// number: whatever is made simpler again and again comes to an end.
    var simpler: [JSONTree] { changed(\.simplerHere) }

    private var simplerHere: [JSONTree] {
        switch self {
        // A secret is written as another text than it is read from.
        case .text(""), .text(Secret<String>.redacted), .other: []
        case .text("a"): [.text("")]
        case .text(let text):
            [.text(""), .text("a")]
                + (text.count > 1 ? [.text(String(text.prefix(text.count / 2)))] : [])
        case .number(let number): Self.simpler(number).map(JSONTree.number)
        case .array(let elements): Self.shorter(elements).map(JSONTree.array)
        case .object(let members): Self.shorter(members).map(JSONTree.object)
        }
    }

    private static func simpler(_ number: Int) -> [Int] {
        var numbers = number == 0 ? [] : [0]
        if number < 0 { numbers.append(number == .min ? .max : -number) }
        if number.magnitude > 1 { numbers += [1, number / 2] }
        if number > 2 { numbers.append(number - 1) }
        return numbers
    }

    private static func shorter<Element>(_ list: [Element]) -> [[Element]] {
        list.indices.map { index in Array(list[..<index] + list[(index + 1)...]) }
    }
}
