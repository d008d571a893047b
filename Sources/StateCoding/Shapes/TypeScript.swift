extension SchemaDocument {
    /// The parts and definitions as types for TypeScript: each part by its name, `State`, `Action`.
    package var typeScript: String {
        var text = "// The types of \(title), made of its schema: not to be edited.\n"
        for part in parts {
            let name = part.name.prefix(1).uppercased() + part.name.dropFirst()
            text += "\n/** \(part.description) */\n"
            text += Self.declaration(of: name, part.shape)
        }
        for (name, shape) in definitions.sorted(by: { $0.key < $1.key }) {
            text += "\n" + Self.declaration(of: name, shape)
        }
        return text
    }

    private static func declaration(of name: String, _ shape: Shape) -> String {
        if case .object(let members) = shape {
            return "export interface \(name) \(Shape.block(members, ""))\n"
        }
        return "export type \(name) =\(Shape.behind(shape.typeScript("    ")));\n"
    }
}

extension Shape {
    /// The type, on lines that begin with an indent.
    fileprivate func typeScript(_ indent: String = "") -> String {
        switch self {
        case .anything: "unknown"
        case .nothing: "never"
        case .boolean: "boolean"
        case .number, .integer, .wideInteger: "number"
        case .text: "string"
        case .constants(let list): Self.union(list, indent)
        case .list(let element, _): element.operand(indent) + "[]"
        case .tuple(let elements):
            "[\(elements.map { $0.typeScript(indent) }.joined(separator: ", "))]"
        case .table(let keys, let element):
            "{ [key in \(keys.typeScript(indent))]?: \(element.typeScript(indent)) }"
        case .maybe(let shape): "\(shape.operand(indent)) | null"
        case .object(let members): Self.block(members, indent)
        case .cases(let members):
            Self.union(members.map { Self.block(Self.alone($0, among: members), indent) }, indent)
        case .tagged(let shapes), .either(let shapes):
            Self.union(shapes.map { $0.typeScript(indent) }, indent)
        case .named(let name): name
        }
    }

    /// The type as a part of another one.
    private func operand(_ indent: String) -> String {
        let text = typeScript(indent)
        switch self {
        case .maybe, .cases, .tagged, .either, .constants: return "(\(text))"
        default: return text
        }
    }

    /// The members of one case, and those of the others as such that are not there: so each may be
    /// asked for, and tells which case it is.
    private static func alone(_ member: Member, among others: [Member]) -> [Member] {
        others.map { other in
            other.name == member.name
                ? other : Member(name: other.name, shape: .nothing, isRequired: false)
        }
    }

    private static func union(_ types: [String], _ indent: String) -> String {
        guard types.contains(where: { $0.contains("\n") }) else {
            return types.isEmpty ? "never" : types.joined(separator: " | ")
        }
        return types.map { "\n\(indent)| \($0)" }.joined()
    }

    /// A type behind a sign: on the same line, unless it begins with a new one.
    fileprivate static func behind(_ type: String) -> String {
        type.hasPrefix("\n") ? type : " \(type)"
    }

    fileprivate static func block(_ members: [Member], _ indent: String) -> String {
        let inner = indent + "    "
        let lines = members.map { member in
            "\(inner)\(name(member.name))\(member.isRequired ? "" : "?"):"
                + behind(member.shape.typeScript(inner)) + ";\n"
        }
        return lines.isEmpty ? "{}" : "{\n\(lines.joined())\(indent)}"
    }

    /// A name as it stands in front of a type: in quotes unless it is an identifier.
    private static func name(_ name: String) -> String {
        let isPlain = name.utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "_"), UInt8(ascii: "$"):
                true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
            default: false
            }
        }
        return isPlain && !name.isEmpty ? name : constant(name)
    }
}
