import Foundation
import Redux
@testable import StateCoding
import Synchronization
import Testing

/// What the JSON of types looks like, found by what they ask a decoder for.
@Suite struct `The shape of a type` {
    private struct Plain: StateValue {
        var text: String
        var flag: Bool?
        var small: Int8
        var large: UInt64
        var real: Double
        var day: Date
        var link: URL
        var key: UUID
        var bytes: Data
        var list: [Int16?]
        var set: Set<String>
        var table: [String: Float]
        var ranks: [Rank: Bool]
        var pairs: [Mood: Bool]
        var span: ClosedRange<Int8>
    }

    private enum Mood: String, StateValue, CaseIterable { case good, bad }
    private enum Rank: Int, StateValue, CodingKeyRepresentable { case low = 1, high = 5 }
    private enum Level: Int, StateValue { case low = 1, high = 5 }

    private indirect enum Tree: StateValue {
        case leaf
        case one(Tree)
        case two(Tree, Tree)
        case named(name: String, Tree?, mood: Mood)
        case gone(String?)
    }

    private struct Login: StateValue {
        var name: String
        var password: Secret<String>
    }

    /// Reads itself in ways of its own.
    private struct Email: StateValue {
        var text: String
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            guard text.contains("@") else { throw CancellationError() }
        }
    }

    private struct TextOrNumber: StateValue {
        var text: String
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            text = try (try? value.decode(String.self)) ?? "\(value.decode(Int8.self))"
        }
    }

    private struct Headers: StateValue {
        var all: [String: Level]
        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            all = [:]
            for key in members.allKeys {
                all[key.stringValue] = try members.decode(Level.self, forKey: key)
            }
        }
    }

    private struct Account: StateValue {
        var email: Email
        var code: TextOrNumber
        var headers: Headers
        var price: Price
    }

    private struct Price: Codable, Equatable, WrittenAs {
        typealias WireForm = String
        init(from decoder: any Decoder) throws { throw CancellationError() }
    }

    private struct Opaque: StateValue {
        init(from decoder: any Decoder) throws { throw CancellationError() }
    }

    private struct Outer: StateValue {
        var before: Bool
        var opaque: Opaque
    }

    /// Any JSON, read by trying.
    private indirect enum AnyJSON: StateValue {
        case flag(Bool)
        case text(String)
        case list([AnyJSON])
        case table([String: AnyJSON])
        init(from decoder: any Decoder) throws {
            let whole = try decoder.singleValueContainer()
            if let flag = try? whole.decode(Bool.self) {
                self = .flag(flag)
            } else if let text = try? whole.decode(String.self) {
                self = .text(text)
            } else if let list = try? whole.decode([AnyJSON].self) {
                self = .list(list)
            } else {
                self = .table(try whole.decode([String: AnyJSON].self))
            }
        }
    }

    /// A tree that is read in order.
    private struct Pair: StateValue {
        var text: String
        var sides: [Pair?]
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            text = try list.decode(String.self)
            sides = [try? list.decode(Pair.self), try? list.decode(Pair.self)]
        }
    }

    private struct Refusing: StateValue {
        static let count = Atomic(0)
        init(from decoder: any Decoder) throws {
            Self.count.add(1, ordering: .relaxed)
            throw CancellationError()
        }
    }

    private struct Level1: StateValue {
        var id: Refusing
        var (left, right): (Int, Int)
    }

    private struct Level2: StateValue {
        var id: Level1
        var (left, right): (Int, Int)
    }

    private struct Level3: StateValue {
        var id: Level2
        var (left, right): (Int, Int)
    }

    /// Refuses inside of itself first.
    private indirect enum Chain: StateValue {
        case more(Link)
        case end(Int)
        struct Link: StateValue { var rest: Chain }
    }

    private enum Partly: StateValue {
        case known(Bool)
        case opaque(Opaque)
    }

    /// Reads what two members of it say; one case of the first, and nothing that can be made up.
    private struct Dependent: StateValue {
        var (mood, rank) = (Mood.good, Rank.low)
        private enum Key: CodingKey { case mood, rank, good, bad, low, after }
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            mood = try members.decode(Mood.self, forKey: .mood)
            rank = try members.decode(Rank.self, forKey: .rank)
            if mood == .bad { _ = try members.decode(Opaque.self, forKey: .bad) }
            if rank == .low { _ = try members.decode(Bool.self, forKey: .low) }
            _ = try members.decode(Bool.self, forKey: .after)
        }
        func encode(to encoder: any Encoder) throws {}
    }

    /// What the compiler reads depends on nothing, whatever cannot be made up in it.
    private struct Independent: StateValue {
        var mood: Mood
        var opaque: Opaque
        var after: Bool
    }

    private struct Shown: Encodable { var text: String }

    /// The schema of a type and of its definitions, without what all documents have.
    private func schema(_ type: Any.Type) -> (text: String, gaps: [String]) {
        var finder = ShapeFinder(reserving: [])
        var document = SchemaDocument(title: "")
        document.parts = [("it", "", finder.shape(of: type))]
        document.definitions = finder.definitions
        let text = String(decoding: document.json, as: UTF8.self)
        let start = text.firstRange(of: #""it":{"description":"","#)?.upperBound ?? text.startIndex
        return (String(text[start...].dropLast()), finder.gaps)
    }

    /// The first reference of a schema.
    private static func reference(in text: String) -> String {
        let name = text.firstRange(of: "#/$defs/").map {
            text[$0.upperBound...].prefix { $0 != "\"" }
        }
        return ##"{"$ref":"#/$defs/\##(name ?? "")"}"##
    }

    @Test func `tells each kind of value by its bounds and format`() {
        let (text, gaps) = schema(Plain.self)
        #expect(gaps == [])
        for part in [
            #""text":{"type":"string"}"#,
            #""flag":{"anyOf":[{"type":"boolean"},{"type":"null"}]}"#,
            #""small":{"type":"integer","minimum":-128,"maximum":127}"#,
            #""large":{"type":"integer","minimum":0,"maximum":18446744073709551615}"#,
            #""real":{"type":"number"}"#,
            #""day":{"type":"string","format":"date-time"}"#,
            #""link":{"type":"string","format":"uri-reference"}"#,
            #""key":{"type":"string","format":"uuid"}"#,
            #""bytes":{"type":"string","contentEncoding":"base64"}"#,
            #""list":{"type":"array","items":{"anyOf":[{"type":"integer","minimum":-32768,"maximum":32767},{"type":"null"}]}}"#,
            #""set":{"type":"array","items":{"type":"string"},"uniqueItems":true}"#,
            #""table":{"type":"object","additionalProperties":{"type":"number"}}"#,
            #""ranks":{"type":"object","propertyNames":{"enum":["1","5"]},"additionalProperties":{"type":"boolean"}}"#,
            #""span":{"type":"array","prefixItems":[{"type":"integer","minimum":-128,"maximum":127},{"type":"integer","minimum":-128,"maximum":127}],"minItems":2,"maxItems":2}"#,
            #""required":["text","small","large","real","day","link","key","bytes","list","set","table","ranks","pairs","span"]"#,
        ] { #expect(text.contains(part), "\(part) in \(text)") }
    }

    @Test func `of an enum is that of its cases, by the names that they have on the wire`() {
        #expect(schema(Mood.self).text.contains(#"{"enum":["good","bad"]}"#))
        #expect(schema(Level.self).text.contains(#"{"enum":[1,5]}"#))
        let (text, gaps) = schema(Tree.self)
        #expect(gaps == [])
        let tree = Self.reference(in: text)
        for part in [
            #"{"type":"object","properties":{"leaf":{"type":"object","properties":{}}},"required":["leaf"],"additionalProperties":false}"#,
            #""properties":{"one":\#(tree)}"#,
            #""properties":{"two":{"type":"array","prefixItems":[\#(tree),\#(tree)],"minItems":2,"maxItems":2}}"#,
            #""properties":{"gone":{"anyOf":[{"type":"string"},{"type":"null"}]}}"#,
        ] { #expect(text.contains(part), "\(part) in \(text)") }
    }

    @Test func `of a value with a stage has the members of each stage`() {
        let (text, gaps) = schema(Loadable<Level>.self)
        #expect(gaps == [])
        for part in [
            #"{"type":"object","properties":{"status":{"enum":["idle"]}},"required":["status"]}"#,
            #"{"status":{"enum":["loaded"]},"value":{"#, #""required":["status","value"]}"#,
            #"{"status":{"enum":["failed"]},"problem":{"#,
        ] { #expect(text.contains(part), "\(part) in \(text)") }
        let answer = schema(Answer<Bool>.self).text
        #expect(answer.contains(#"{"value":{"type":"boolean"}},"required":["value"]"#), "\(answer)")
        #expect(answer.contains(#""required":["problem"],"additionalProperties":false"#))
    }

    @Test func `of one that reads itself is found by what it reads, or declared`() {
        let (text, gaps) = schema(Account.self)
        #expect(gaps == [])
        for part in [
            #""email":{"type":"string"}"#, #""price":{"type":"string"}"#,
            #"{"anyOf":[{"type":"string"},{"type":"integer","minimum":-128,"maximum":127}]}"#,
            #""headers":{"type":"object","additionalProperties":{"$ref""#,
        ] { #expect(text.contains(part), "\(part) in \(text)") }
    }

    @Test(.timeLimit(.minutes(1)))
    func `that stands in itself, read as a whole or in order, has a name`() {
        let (text, gaps) = schema(AnyJSON.self)
        #expect(gaps == [])
        let json = Self.reference(in: text)
        for part in [
            #"{"type":"array","items":\#(json)}"#,
            #"{"type":"object","additionalProperties":\#(json)}"#,
        ] { #expect(text.contains(part), "\(part) in \(text)") }
        let pair = schema(Pair.self).text
        let name = Self.reference(in: pair)
        #expect(pair.contains(#""prefixItems":[{"type":"string"},\#(name),\#(name)]"#), "\(pair)")
    }

    @Test func `of which nothing can be made up is tried a few times only, however deep it stands`()
        throws
    {
        let values = ProbeValues()
        #expect(throws: ProbeEnd.self) { try values.value(Level3.self) }
        #expect(Refusing.count.load(ordering: .relaxed) < 100)
        // What is refused inside of a type that is then made in another way can be made.
        #expect(try values.value(Chain.self) == .end(0))
        #expect(throws: Never.self) { try values.value(Chain.Link.self) }
    }

    @Test func `is anything, with the reason, where nothing can be found out`() {
        for type in [Opaque.self, Outer.self] as [Any.Type] {
            let (text, gaps) = schema(type)
            #expect(gaps.count == 1 && gaps[0].hasPrefix("Opaque refuses"), "\(gaps)")
            #expect(text.contains(#""$comment":"Not told"#))
            #expect(
                text.contains(#"{"before":{"type":"boolean"},"opaque":{"#) == (type == Outer.self))
        }
        let (partly, gaps) = schema(Partly.self)
        #expect(gaps.count == 1 && partly.contains(#"{"known":{"type":"boolean"}}"#), "\(partly)")
        #expect(partly.contains(#"{"opaque":{"$comment":"Not told"}}"#), "\(partly)")
        #expect(schema(Dependent.self).gaps.count == 3)
        let independent = schema(Independent.self)
        #expect(independent.gaps.count == 1 && !independent.text.contains("oneOf"))
        for type in [Shown.self, [Shown].self] as [Any.Type] {
            let (text, gaps) = schema(type)
            #expect(gaps.count == 1 && gaps[0].hasPrefix("Shown cannot be decoded"), "\(gaps)")
            #expect(text.contains(#""$comment":"Not told"#))
        }
    }

    @Test func `shows no secret, and what a client sends as one`() throws {
        #expect(schema(Login.self).text.contains(#""password":{"enum":["<redacted>"]}"#))
        enum Action: ActionGroup { case signedIn(Login), deleted }
        var finder = ShapeFinder(reserving: [])
        _ = finder.shape(of: Login.self)
        let shape = try ActionCoder<Action>().shape(by: &finder)
        #expect(finder.definitions.count == 2)
        #expect("\(finder.definitions)".contains("text"))
        guard case .tagged(let types) = shape else {
            Issue.record("\(shape)")
            return
        }
        #expect(types.count == 2 && !"\(types)".contains("redacted"))
    }
}
