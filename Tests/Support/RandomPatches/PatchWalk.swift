import Bytes

/// Random documents and random operations that fit them, the same for the same seed.
package struct PatchWalk {
    private static let names = [
        "a", "b", "c", "a/b", "m~n", "~1", "~01", "", "é", "\u{1}x", "quote\"", "back\\slash",
        "01", "-", "__proto__", "constructor", "before", "tab\t", "line\nbreak", "🙂",
    ]
    private static let indices = ["0", "1"]
    private static let scalars = [
        "0", "-1.5e3", "true", "false", "null", "\"\"", "\"text\"", "\"a \\\"quote\\\"\"",
        "\"]}\"", "\"\\\\\"", "\"ü\"", "12345678901234567890",
    ]

    private let names: [String]
    private var random: SplitMix
    /// The document as it is after the operations so far.
    package private(set) var document: NaiveJSON

    /// A document of some members, one of them an object of many, one of them a list.
    ///
    /// - Parameter hasIndices: some members are named like indices of arrays.
    package init(seed: UInt64, hasIndices: Bool = true) {
        names = Self.names + (hasIndices ? Self.indices : [])
        random = SplitMix(seed: seed)
        document = .object([])
        let wide = (0..<40).map { index in
            NaiveJSON.Member(name: "k\(index)", value: value(depth: 4))
        }
        let list = (0..<chance(30)).map { _ in value(depth: 3) }
        document = .object([
            .init(name: "wide", value: .object(wide)), .init(name: "any", value: value(depth: 0)),
            .init(name: "list", value: .array(list)),
        ])
    }

    /// Changes the document by some operations.
    ///
    /// - Returns: the patch that does the same.
    package mutating func patch() -> [UInt8] {
        var edited = document
        let operations = (0...chance(4)).map { _ in edit(&edited, path: "", depth: 0) }
        document = edited
        return Array("[\(operations.joined(separator: ","))]".utf8)
    }

    /// A number from 0 to one below the limit.
    package mutating func chance(_ limit: Int) -> Int {
        Int(random.next() % UInt64(limit))
    }

    private mutating func value(depth: Int) -> NaiveJSON {
        guard chance(6) > depth else { return .scalar(Self.scalars[chance(Self.scalars.count)]) }
        if chance(2) == 0 {
            return .array((0..<chance(5)).map { _ in value(depth: depth + 1) })
        }
        var members: [NaiveJSON.Member] = []
        for _ in 0..<chance(5) {
            let name = names[chance(names.count)]
            guard !members.contains(where: { $0.name == name }) else { continue }
            members.append(.init(name: name, value: value(depth: depth + 1)))
        }
        return .object(members)
    }

    private mutating func edit(_ node: inout NaiveJSON, path: String, depth: Int) -> String {
        switch node {
        case .array(var elements) where depth == 0 || chance(40) > 0:
            defer { node = .array(elements) }
            return edit(&elements, path, depth)
        case .object(var members) where depth == 0 || chance(40) > 0:
            defer { node = .object(members) }
            return edit(&members, path, depth)
        default:
            node = value(depth: depth + 2)
            return operation("replace", path, node)
        }
    }

    private mutating func edit(
        _ elements: inout [NaiveJSON], _ path: String, _ depth: Int
    ) -> String {
        let index = elements.isEmpty ? 0 : chance(elements.count)
        let kind = elements.isEmpty ? 9 : chance(10)
        if kind < 6 { return edit(&elements[index], path: "\(path)/\(index)", depth: depth + 1) }
        if kind < 8 {
            elements.remove(at: index)
            return operation("remove", "\(path)/\(index)", nil)
        }
        let new = value(depth: depth + 2)
        if chance(3) == 0 {
            elements.append(new)
            return operation("add", "\(path)/-", new)
        }
        elements.insert(new, at: index)
        return operation("add", "\(path)/\(index)", new)
    }

    private mutating func edit(
        _ members: inout [NaiveJSON.Member], _ path: String, _ depth: Int
    ) -> String {
        let index = members.isEmpty ? 0 : chance(members.count)
        let kind = members.isEmpty ? 9 : chance(10)
        if kind < 7 {
            let path = path + Self.token(members[index].name)
            return edit(&members[index].value, path: path, depth: depth + 1)
        }
        if kind < 8, depth > 0 {
            let name = members.remove(at: index).name
            return operation("remove", path + Self.token(name), nil)
        }
        let name = names[chance(names.count)]
        let new = value(depth: depth + 2)
        if let known = members.firstIndex(where: { $0.name == name }) {
            members[known].value = new
            return operation("add", path + Self.token(name), new)
        }
        let before = members.isEmpty || chance(2) == 0 ? nil : members[index].name
        members.insert(
            .init(name: name, value: new), at: before == nil ? members.count : index)
        return operation("add", path + Self.token(name), new, before)
    }

    private static func token(_ name: String) -> String {
        var token = "/"
        for character in name.unicodeScalars {
            switch character {
            case "~": token += "~0"
            case "/": token += "~1"
            default: token.unicodeScalars.append(character)
            }
        }
        return token
    }

    private func operation(
        _ kind: String, _ path: String, _ value: NaiveJSON?, _ before: String? = nil
    ) -> String {
        var text = #"{"op":"\#(kind)","path":\#(NaiveJSON.quoted(path))"#
        if let value { text += #","value":\#(value.text)"# }
        if let before { text += #","before":\#(NaiveJSON.quoted(before))"# }
        return text + "}"
    }
}
