import Redux

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds out what the JSON of types looks like, by what they ask a decoder for.
///
/// An enum's case, and a value of a few that stands in a member, may change what a type asks for
/// next: each of them is tried, one at a time.
package struct ShapeFinder {
    /// A type in one of both directions, where its values differ by that.
    private struct Place: Hashable {
        let type: ObjectIdentifier
        let isSent: Bool
    }

    /// The shapes of types that have names.
    package private(set) var definitions: [String: Shape] = [:]
    /// The sentences that say what was not found out.
    package private(set) var gaps: [String] = []
    /// Clients send the values; else they get them, and no secret.
    package var isSent = false
    private var names: [Place: String] = [:]
    private var taken: Set<String>
    /// The names that stand in a shape already.
    private var mentioned: Set<String> = []
    private let values: ProbeValues
    private var depth = 0

    private static let (depthLimit, definitionLimit) = (100, 1_000)

    /// - Parameters:
    ///   - names: no type is called so.
    ///   - samples: values in which there may be some of types of which none can be made up.
    package init(reserving names: Set<String>, samples: [Any] = []) {
        taken = names
        values = ProbeValues(samples: samples)
    }

    /// The shape of a type's values.
    package mutating func shape(of type: Any.Type) -> Shape {
        guard depth < Self.depthLimit, names.count < Self.definitionLimit else {
            return gap("\(type) consists of more types than can be looked through")
        }
        depth += 1
        defer { depth -= 1 }
        let form = TypeTraits.form(of: type)
        if form.isScalar { return Self.shape(of: form, type) }
        if type == UUID.self { return .text(format: "uuid") }
        if type == Never.self { return .nothing }
        if let secret = type as? any AnySecret.Type {
            guard isSent else { return .constants([Shape.constant(Secret<Never>.redacted)]) }
            return shape(of: secret.wrapped)
        }
        if let type = type as? any WrittenAs.Type { return shape(of: type.wireForm) }
        if let shape = shapeOfContainer(type) { return shape }
        guard let type = type as? any Decodable.Type else {
            return gap("\(type) cannot be decoded: make it Codable, or WrittenAs another type")
        }
        if let name = names[place(of: type)] {
            mentioned.insert(name)
            return .named(name)
        }
        return shapeAsked(by: type)
    }

    /// Nothing is known of a part; tells the application's author why.
    mutating func gap(_ sentence: String) -> Shape {
        if !gaps.contains(sentence) { gaps.append(sentence) }
        return .anything("Not told")
    }

    private mutating func gap(atObstacle type: String) -> Shape {
        gap(
            "\(type) refuses all that is made up: give an example, or make it WrittenAs another type"
        )
    }

    private static func shape(of form: TypeTraits.Form, _ type: Any.Type) -> Shape {
        switch form {
        case .boolean: return .boolean
        case .double, .float, .decimal: return .number
        case .date: return .text(format: "date-time")
        case .url: return .text(format: "uri-reference")
        case .data: return .text(format: "base64")
        case .integer, .otherInteger:
            guard let type = type as? any FixedWidthInteger.Type, type.bitWidth <= 64 else {
                return .wideInteger
            }
            return .integer(least: "\(type.min)", greatest: "\(type.max)")
        case .string, .own, .collection: return .text(format: nil)
        }
    }

    /// The shape of an optional, array, set or dictionary.
    private mutating func shapeOfContainer(_ type: Any.Type) -> Shape? {
        guard let contents = (type as? any TypeContents.Type)?.contents else { return nil }
        if type is any ExpressibleByNilLiteral.Type, let wrapped = contents.first {
            return shape(of: wrapped).orNull
        }
        guard type is any EncodableCollection.Type || type is any DecodableCollection.Type else {
            return nil
        }
        let shapes = contents.map { shape(of: $0) }
        guard contents.count == 2 else {
            return .list(shapes[0], isSet: type is any SetAlgebra.Type)
        }
        let isTable = (contents[0] as? any Decodable.Type).map { JSONOrder.hasText($0) } ?? false
        guard isTable else { return .list(.either(shapes)) }
        let names = (contents[0] as? any Decodable.Type).flatMap { Self.names(of: $0) }
        return .table(keys: names ?? .text(format: nil), shapes[1])
    }

    private static func constants<Value: Decodable>(of type: Value.Type) -> Shape? {
        ProbeValues.options(of: type).map { .constants($0.map(\.json)) }
    }

    /// What keys of a type are called, where these are few.
    private static func names<Key: Decodable>(of type: Key.Type) -> Shape? {
        ProbeValues.options(of: type).map { options in
            .constants(options.map { Shape.constant(JSONOrder.text(of: $0.value)) })
        }
    }

    // MARK: Definitions

    private func place(of type: Any.Type) -> Place {
        Place(
            type: ObjectIdentifier(type),
            isSent: isSent
                && FactSearch.parts(of: type).types.contains { $0 is any AnySecret.Type })
    }

    /// Defines a type's shape, in which its name may stand.
    ///
    /// - Parameter isNamed: else a shape that is no choice, and in which it does not stand, has no name.
    private mutating func define(
        _ type: Any.Type, isNamed: Bool = true, _ make: (inout Self) -> Shape
    ) -> Shape {
        let base = Self.name(of: type)
        var (name, number) = (base, 1)
        while !taken.insert(name).inserted {
            number += 1
            name = "\(base)\(number)"
        }
        let place = place(of: type)
        names[place] = name
        let shape = make(&self)
        var isChoice = false
        if case .either = shape { isChoice = true }
        guard isNamed || isChoice || mentioned.contains(name) else {
            names[place] = nil
            taken.remove(name)
            return shape
        }
        definitions[name] = shape
        return .named(name)
    }

    /// `CardsModel.LobbyState.Table` as `LobbyStateTable`, `Redux.Loadable<Redux.Done>` as
    /// `LoadableOfDone`.
    private static func name(of type: Any.Type) -> String {
        var depth = 0
        // What stands in parentheses tells where the type is declared.
        let text = String(reflecting: type).filter { character in
            if character == "(" { depth += 1 }
            defer { if character == ")" { depth -= 1 } }
            return depth == 0
        }
        let paths = text.split { !"._".contains($0) && !$0.isASCIIWord }
        return paths.map { path in
            let parts = path.split(separator: ".")
            return parts.dropFirst(parts.count > 1 ? 1 : 0).joined()
        }.joined(separator: "Of")
    }

    // MARK: What types ask for

    private mutating func shapeAsked<Value: Decodable>(by type: Value.Type) -> Shape {
        if let constants = Self.constants(of: type) { return define(type) { _ in constants } }
        let first = values.run(type)
        if first.found.isEmpty && first.value == nil { return gap(atObstacle: "\(type)") }
        if let obstacle = first.obstacle, first.object?.complete(of: type) != true {
            return gap(atObstacle: obstacle)
        }
        switch first.found.first {
        case nil: return .object([])
        case .value: return shapeRead(by: type, first)
        case .list(let list): return define(type, isNamed: false) { $0.shape(of: list) }
        case .object(let object) where object.asksForKeys: return shapeByKeys(type, object)
        case .object(let object): return shapeByMembers(type, first, object)
        }
    }

    /// The shape of values that are read as a whole: as one type, or as the first of several that
    /// can be read.
    private mutating func shapeRead<Value: Decodable>(
        by type: Value.Type, _ first: Probe
    ) -> Shape {
        var last = first
        for count in 1...8 {
            let next = values.run(type, Probe.Script(failureCount: count))
            guard next.found.count > last.found.count else { break }
            last = next
        }
        return define(type, isNamed: false) { finder in
            var shapes: [Shape] = []
            for asked in last.found {
                let shape = finder.shape(of: asked)
                if !shapes.contains(shape) { shapes.append(shape) }
            }
            return shapes.count == 1 ? shapes[0] : .either(shapes)
        }
    }

    /// The shape of values of one member, as enums are, whose key tells what stands in it; or of those
    /// with any keys.
    private mutating func shapeByKeys<Value: Decodable>(
        _ type: Value.Type, _ object: AskedObject
    ) -> Shape {
        guard let keys = object.keys.all else {
            guard let member = object.members.first else { return .object([]) }
            return define(type, isNamed: false) {
                .table(keys: .text(format: nil), $0.shape(of: member.asked))
            }
        }
        let runs = keys.map { values.run(type, Probe.Script(key: $0)) }
        if let obstacle = runs.first?.obstacle, runs.allSatisfy({ $0.obstacle != nil }) {
            return gap(atObstacle: obstacle)
        }
        let objects = runs.compactMap(\.object)
        if objects.count > 1, objects.allSatisfy({ $0.signature == objects[0].signature }) {
            return define(type) { .object($0.members(of: objects[0])) }
        }
        return define(type) { finder in
            .cases(
                zip(keys, runs).flatMap { key, run in
                    guard let obstacle = run.obstacle else {
                        return run.object.map { finder.members(of: $0) } ?? []
                    }
                    return [Shape.Member(name: key, shape: finder.gap(atObstacle: obstacle))]
                })
        }
    }

    /// The shape of an object: one, or one for each value of the first member on which it depends
    /// what else is asked for.
    private mutating func shapeByMembers<Value: Decodable>(
        _ type: Value.Type, _ first: Probe, _ object: AskedObject
    ) -> Shape {
        var dependent: Shape?
        for (member, count) in first.choices.prefix(64) {
            let others = (1..<count).map { option in
                values.run(type, Probe.Script(choice: (member, option)))
            }
            let isComplete = others.map {
                $0.obstacle == nil || $0.object?.complete(of: type) == true
            }
            let all = [object] + others.compactMap(\.object)
            guard all.count == count,
                all.contains(where: { $0.signature != object.signature }),
                let names = object.members.first(where: { $0.name == member })?.asked.constants
            else { continue }
            if dependent != nil {
                _ = gap("\(type) depends on more than one member: the schema tells the first")
                break
            }
            if isComplete.contains(false) {
                _ = gap("\(type) is not read to its end with each \(member): give an example")
            }
            dependent = define(type) { finder in
                .tagged(
                    zip(all, names).map { object, name in
                        let members = finder.members(of: object)
                        return .object(
                            members.map { known in
                                known.name == member
                                    ? Shape.Member(name: member, shape: .constants([name])) : known
                            })
                    })
            }
        }
        return dependent ?? define(type) { .object($0.members(of: object)) }
    }

    private mutating func members(of object: AskedObject) -> [Shape.Member] {
        object.members.map { member in
            let shape = shape(of: member.asked)
            return Shape.Member(
                name: member.name, shape: member.isOptional ? shape.orNull : shape,
                isRequired: !member.isOptional)
        }
    }

    private mutating func shape(of asked: Asked) -> Shape {
        switch asked {
        case .value(let type): shape(of: type)
        case .list(let list): shape(of: list)
        case .object(let object): payload(members(of: object)) ?? .object([])
        }
    }

    private mutating func shape(of list: AskedList) -> Shape {
        let shapes = list.elements.map { shape(of: $0) }
        guard list.isOpen else { return .tuple(shapes) }
        return .list(shapes.first ?? .nothing)
    }

    /// The shape of an enum's values; nil where there are none.
    func payload(_ members: [Shape.Member]) -> Shape? {
        guard let first = members.first else { return nil }
        guard first.name.isUnlabelled else { return .object(members) }
        return members.count == 1 ? first.shape : .tuple(members.map(\.shape))
    }
}

extension Asked {
    /// The JSON of all values, where these are few.
    fileprivate var constants: [String]? {
        guard case .value(let type) = self, let type = type as? any Decodable.Type else {
            return nil
        }
        func options<Value: Decodable>(_ type: Value.Type) -> [String]? {
            ProbeValues.options(of: type)?.map(\.json)
        }
        return options(type)
    }
}

extension Character {
    fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}
