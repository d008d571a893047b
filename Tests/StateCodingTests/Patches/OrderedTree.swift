import Testing

@testable import StateCoding

/// A JSON text as a tree whose members keep their order: the plainest way to carry out a patch.
indirect enum OrderedTree: Equatable {
    case scalar([UInt8])
    case array([OrderedTree])
    case object([Member])

    struct Member: Equatable {
        /// The name as it stands in the text.
        var name: [UInt8]
        var value: OrderedTree
    }

    struct Misfit: Error {
        var what: String
    }

    init(_ text: [UInt8]) throws {
        var position = 0
        self = try Self.read(text, &position)
        guard position == text.count else { throw Misfit(what: "more than one value") }
    }

    /// The compact text.
    var text: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .scalar(let text): output += text
        case .array(let elements):
            output += Array("[".utf8)
            for (index, element) in elements.enumerated() {
                if index > 0 { output += Array(",".utf8) }
                element.write(to: &output)
            }
            output += Array("]".utf8)
        case .object(let members):
            output += Array("{".utf8)
            for (index, member) in members.enumerated() {
                output += Array((index > 0 ? ",\"" : "\"").utf8) + member.name
                output += Array("\":".utf8)
                member.value.write(to: &output)
            }
            output += Array("}".utf8)
        }
    }

    // MARK: Reading

    private static func read(_ text: [UInt8], _ position: inout Int) throws -> OrderedTree {
        switch try byte(text, position) {
        case "[":
            var elements: [OrderedTree] = []
            try readList(text, &position, until: "]") { elements.append(try read(text, &$0)) }
            return .array(elements)
        case "{":
            var members: [Member] = []
            try readList(text, &position, until: "}") { position in
                let name = try readString(text, &position)
                guard try byte(text, position) == ":" else { throw Misfit(what: "no colon") }
                position += 1
                members.append(Member(name: name, value: try read(text, &position)))
            }
            return .object(members)
        case "\"":
            return .scalar(Array("\"".utf8) + (try readString(text, &position)) + Array("\"".utf8))
        default:
            let start = position
            while position < text.count, !",]}".utf8.contains(text[position]) { position += 1 }
            guard position > start else { throw Misfit(what: "no value") }
            return .scalar(Array(text[start..<position]))
        }
    }

    private static func byte(_ text: [UInt8], _ position: Int) throws -> Character {
        guard position < text.count else { throw Misfit(what: "the text ends") }
        return Character(Unicode.Scalar(text[position]))
    }

    private static func readList(
        _ text: [UInt8], _ position: inout Int, until end: Character,
        _ read: (inout Int) throws -> Void
    ) throws {
        position += 1
        if try byte(text, position) == end { return position += 1 }
        while true {
            try read(&position)
            let next = try byte(text, position)
            position += 1
            if next == end { return }
            guard next == "," else { throw Misfit(what: "no comma") }
        }
    }

    private static func readString(_ text: [UInt8], _ position: inout Int) throws -> [UInt8] {
        guard try byte(text, position) == "\"" else { throw Misfit(what: "no string") }
        let start = position + 1
        position = start
        while try byte(text, position) != "\"" {
            position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
        return Array(text[start..<position - 1])
    }

    // MARK: Patching

    /// The tree after the operations of a patch.
    func applying(_ patch: [UInt8]) throws -> OrderedTree {
        guard case .array(let operations) = try OrderedTree(patch) else {
            throw Misfit(what: "a patch is an array")
        }
        return try operations.reduce(self) { try $0.applying(operation: $1) }
    }

    private func applying(operation: OrderedTree) throws -> OrderedTree {
        guard case .object(let members) = operation, case .scalar(let op)? = members.first?.value,
            members.count > 1, case .scalar(let path) = members[1].value
        else { throw Misfit(what: "an operation has op and path") }
        let tokens = JSONPointer(parsing: Self.plain(Array(path.dropFirst().dropLast())))?.tokens
        guard let tokens else { throw Misfit(what: "no pointer") }
        var before: String?
        if case .scalar(let name)? = members.first(where: { $0.name == Array("before".utf8) })?
            .value
        {
            before = Self.plain(Array(name.dropFirst().dropLast()))
        }
        let value = members.first { $0.name == Array("value".utf8) }?.value
        return try changed(
            at: tokens[...], String(decoding: op, as: UTF8.self), value, before: before)
    }

    private static func plain(_ text: [UInt8]) -> String {
        String(decoding: JSONText.unescape(text.span), as: UTF8.self)
    }

    private func changed(
        at path: ArraySlice<String>, _ op: String, _ value: OrderedTree?, before: String?
    ) throws -> OrderedTree {
        guard let token = path.first else {
            guard op == "\"replace\"", let value else { throw Misfit(what: "\(op) of the root") }
            return value
        }
        switch self {
        case .scalar: throw Misfit(what: "a scalar holds nothing")
        case .array(var elements):
            guard let index = Int(token), index >= 0, before == nil || path.count > 1 else {
                throw Misfit(what: "no index: \(token)")
            }
            if path.count == 1, op == "\"add\"", let value, index <= elements.count {
                elements.insert(value, at: index)
                return .array(elements)
            }
            guard index < elements.count else { throw Misfit(what: "no element \(index)") }
            if path.count == 1, op == "\"remove\"" {
                elements.remove(at: index)
            } else {
                elements[index] = try elements[index].changed(
                    at: path.dropFirst(), op, value, before: before, isHere: path.count == 1)
            }
            return .array(elements)
        case .object(let members):
            return try Self.changed(members, at: path, token, op, value, before: before)
        }
    }

    private static func changed(
        _ members: [Member], at path: ArraySlice<String>, _ token: String, _ op: String,
        _ value: OrderedTree?, before: String?
    ) throws -> OrderedTree {
        var members = members
        let places = members.indices.filter { plain(members[$0].name) == token }
        guard places.count < 2 else { throw Misfit(what: "two members \(token)") }
        if path.count == 1, op == "\"add\"", let value {
            guard places.isEmpty else { throw Misfit(what: "\(token) is there already") }
            var place = members.count
            if let before {
                guard let next = members.firstIndex(where: { plain($0.name) == before }) else {
                    throw Misfit(what: "nothing stands behind \(token)")
                }
                place = next
            }
            var writer = JSONWriter()
            writer.append(unquoted: token)
            members.insert(Member(name: writer.finish(), value: value), at: place)
            return .object(members)
        }
        guard let place = places.first, before == nil || path.count > 1 else {
            throw Misfit(what: "no member \(token)")
        }
        if path.count == 1, op == "\"remove\"" {
            members.remove(at: place)
        } else {
            members[place].value = try members[place].value.changed(
                at: path.dropFirst(), op, value, before: before, isHere: path.count == 1)
        }
        return .object(members)
    }

    private func changed(
        at path: ArraySlice<String>, _ op: String, _ value: OrderedTree?, before: String?,
        isHere: Bool
    ) throws -> OrderedTree {
        guard isHere else { return try changed(at: path, op, value, before: before) }
        guard op == "\"replace\"", let value else { throw Misfit(what: "\(op) of what is here") }
        return value
    }
}

/// The number of random edits that each law is held to, one part in `share` of all: fewer where
/// code is not optimised, and four at least.
/// `PATCH_EDITS=1000000 swift test -c release -Xswiftc -enable-testing`
func editCount(share: Int) -> Int {
    #if DEBUG
        let count = 800
    #else
        let count = 20_000
    #endif
    return max(4, (Int(environmentVariable("PATCH_EDITS") ?? "") ?? count) / share)
}
