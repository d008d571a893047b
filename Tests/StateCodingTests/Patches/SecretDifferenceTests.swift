import Redux
import Synchronization
import Testing

@testable import StateCoding

struct SecretDifferenceTests {
    private let encoder = StateEncoder()

    /// Seeds, the last a new one each time, and sizes of collections: most small, some of several
    /// pieces.
    static let runs = (Array(1...19) + [UInt64.random(in: 4...1 << 40) * 5]).map { seed in
        (seed: seed, size: seed % 5 == 0 ? 120 : 5)
    }

    @Test(arguments: runs)
    func `whatever changes, patch and secrets lead to the state with its secrets`(
        seed: UInt64, size: Int
    ) throws {
        var generator = SecretStateGenerator(
            seed: seed, size: size, isInterleaved: seed % 4 == 1)
        var state = generator.state()
        var form = try encode(state, after: nil).form
        var tree = try OrderedTree(opened(form))
        for round in 0..<editCount(share: size > 5 ? 1000 : 40) {
            let place: Comment = "seed \(seed), round \(round)"
            let former = state
            for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
                generator.change(&state)
            }
            let change = try encode(state, after: form)
            let fresh = try encode(state, after: nil).form
            try #require(try change.form.bytes() == encodedBytes(state), place)
            let before = form.bytes()
            try #require((change.patch == nil) == (before == change.form.bytes()), place)
            try #require(isHiding(change.patch?.operations ?? []), place)
            if let patch = change.patch { tree = try tree.applying(patch.operations) }
            try checkPlaces(of: change.secrets, in: change.form, place)
            if let secrets = change.secrets { tree = try tree.applying(secrets.value.operations) }
            try #require(try tree.text == opened(fresh), place)
            try #require(change.form.secrets() == fresh.secrets(), place)
            let same = fresh.change(from: change.form)
            try #require(same.patch == nil && same.secrets == nil, place)
            if round % 4 == 0 {
                let anew = try encode(former, after: nil).form
                let again = try encode(state, after: anew)
                try #require(again.patch == change.patch, place)
                try #require(again.secrets == change.secrets, place)
                let hidden = try encoder.encode(
                    state, after: encoder.encode(former, after: nil).form)
                try #require(hidden.patch == change.patch && hidden.secrets == nil, place)
                try checkOpenEncoding(of: state, fresh, place)
            }
            form = change.form
        }
    }

    /// Each operation replaces a place that reads `"<redacted>"`, and no two the same one.
    private func checkPlaces(
        of secrets: Secret<JSONPatch>?, in form: EncodedForm, _ comment: Comment
    ) throws {
        guard let operations = secrets?.value.operations,
            case .array(let list) = try OrderedTree(operations)
        else { return }
        var paths: Set<[UInt8]> = []
        let shown = form.bytes()
        for case .object(let members) in list {
            guard case .scalar(let path) = members[1].value else {
                throw OrderedTree.Misfit(what: "no path")
            }
            try #require(members.map(\.name) == ["op", "path", "value"].map { Array($0.utf8) })
            try #require(members[0].value == .scalar(Array(#""replace""#.utf8)), comment)
            try #require(paths.insert(path).inserted, comment)
        }
        let hidden = try OrderedTree(shown).applying(redacting(list).text)
        try #require(hidden.text == shown, comment)
    }

    /// The same operations with `"<redacted>"` for all values.
    private func redacting(_ operations: [OrderedTree]) -> OrderedTree {
        .array(
            operations.map {
                guard case .object(var members) = $0 else { return $0 }
                members[2].value = .scalar(Array(#""<redacted>""#.utf8))
                return .object(members)
            })
    }

    /// What is encoded with the secrets in their places, but where an order hangs on them.
    private func checkOpenEncoding(
        of state: SecretState, _ form: EncodedForm, _ comment: Comment
    ) throws {
        var state = state
        (state.byKey, state.own) = ([:], [])
        state.bag = Set(state.bag.prefix(1))
        state.rowBag = Set(state.rowBag.prefix(1))
        let form = try encode(state, after: form).form
        var output: [UInt8] = []
        try DocumentEncoder.run(
            appendingTo: &output, maximumDepth: encoder.maximumDepth, .open
        ) { try $0.encodeValue(state) }
        try #require(try opened(form) == output, comment)
    }

    private func encode(
        _ value: some Encodable, after form: EncodedForm?
    ) throws(EncodingFailure) -> EncodedChange {
        try encoder.encode(value, after: form, keepingSecrets: true)
    }

    private func encodedBytes(_ value: some Encodable) throws -> [UInt8] {
        var output: [UInt8] = []
        try encoder.encode(value, into: &output)
        return output
    }

    /// The JSON with all secrets in their places.
    private func opened(_ form: EncodedForm) throws -> [UInt8] {
        let shown = form.bytes()
        guard let secrets = form.secrets() else { return shown }
        return try OrderedTree(shown).applying(secrets.value.operations).text
    }

    private func isHiding(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self)
        return SecretStateGenerator.marks.allSatisfy { !text.contains($0) }
    }

    // MARK: One thing after the other

    /// The operations that lead from one value to another, and those for secrets.
    private func operations<Value: Encodable>(
        from old: Value, to new: Value
    ) throws -> [String] {
        let form = try encode(old, after: nil).form
        let change = try encode(new, after: form)
        let tree = try OrderedTree(opened(form))
            .applying(change.patch?.operations ?? Array("[]".utf8))
            .applying(change.secrets?.value.operations ?? Array("[]".utf8))
        #expect(try tree.text == opened(change.form))
        return [change.patch, change.secrets?.value].map {
            String(decoding: $0?.operations ?? [], as: UTF8.self)
        }
    }

    private func records(_ count: Int) -> [SecretRecord] {
        (0..<count).map {
            SecretRecord(
                id: $0, name: "record number \($0)", password: Secret("hush-\($0)"), login: nil,
                codes: [])
        }
    }

    @Test func `a secret that changes alone is an operation, and no patch`() throws {
        var list = records(1000)
        list[700].password = Secret("hush")
        #expect(
            try operations(from: records(1000), to: list)
                == ["", #"[{"op":"replace","path":"/700/password","value":"hush"}]"#])
        #expect(try operations(from: list, to: list) == ["", ""])
    }

    @Test func `secrets move with their elements, and are said where these are written`() throws {
        var list = records(100)
        list.removeSubrange(20..<39)
        list[30].password = Secret("hush")
        list.insert(records(501)[500], at: 40)
        let found = try operations(from: records(100), to: list)
        #expect(!found[0].contains("hush"))
        #expect(
            found[1]
                == #"[{"op":"replace","path":"/40/password","value":"hush-500"},"#
                + #"{"op":"replace","path":"/30/password","value":"hush"}]"#)
    }

    @Test func `a value that is written anew says all of its secrets`() throws {
        let old = ["k": SecretRow.plain("x")]
        let found = try operations(
            from: old, to: ["k": .hidden(key: Secret("hush"), note: "n")])
        #expect(found[0].contains(#""value":{"hidden":{"key":"<redacted>","note":"n"}}"#))
        #expect(found[1] == #"[{"op":"replace","path":"/k/hidden/key","value":"hush"}]"#)
    }

    @Test func `a secret may wrap anything, and what it wraps is open`() throws {
        let inner = SecretLogin(user: "u", token: Secret("hush"))
        #expect(
            try operations(from: Secret(inner), to: Secret(SecretLogin(user: "v", token: nil)))
                == ["", #"[{"op":"replace","path":"","value":{"user":"v"}}]"#])
        let form = try encode([Secret<[SecretLogin]>([inner]), Secret([])], after: nil).form
        #expect(
            form.secrets().map { String(decoding: $0.value.operations, as: UTF8.self) }
                == #"[{"op":"replace","path":"/0","value":[{"user":"u","token":"hush"}]},"#
                + #"{"op":"replace","path":"/1","value":[]}]"#)
        #expect(try operations(from: Secret<Int?>(1), to: Secret(nil))[1].contains("null"))
        let nothing = try encode([Secret(Empty())], after: nil).form.secrets()
        #expect(
            nothing?.value.operations == Array(#"[{"op":"replace","path":"/0","value":{}}]"#.utf8))
    }

    @Test func `a text that reads as a secret does is told from one`() throws {
        let text = SecretText.shown("<redacted>")
        let other = SecretText.hidden(Secret("hush"))
        #expect(
            try operations(from: ["a": text], to: ["a": other])
                == ["", #"[{"op":"replace","path":"/a","value":"hush"}]"#])
        #expect(
            try operations(from: ["a": other], to: ["a": text])
                == ["", #"[{"op":"replace","path":"/a","value":"<redacted>"}]"#])
        let pair = try operations(from: [text, other], to: [other, text])
        #expect(!pair[0].contains("hush"))
    }

    @Test func `no description shows what a form keeps`() throws {
        let form = try encode(records(100), after: nil).form
        var list = records(100)
        list[3].password = Secret("hush")
        let change = try encode(list, after: form)
        var shown = "\(form) \(change)\(String(reflecting: change))"
        dump(change, to: &shown)
        let bytes = "hush".utf8.map(String.init)
        #expect(!shown.contains("hush") && !shown.contains(bytes.joined(separator: ", ")))
        #expect(!bytes.allSatisfy { shown.contains("- \($0)\n") })
    }

    @Test func `containers that are filled in turn, or later, have their secrets in order`() throws
    {
        func places(of number: Int) throws -> [String] {
            let own = [SecretOwn(number: number, token: Secret("hush-7"))]
            let secrets = try #require(try encode(own, after: nil).form.secrets())
            guard case .array(let list) = try OrderedTree(secrets.value.operations) else {
                return []
            }
            return list.map { String(decoding: $0.text, as: UTF8.self) }
        }
        func replacing(_ path: String, _ value: String) -> String {
            #"{"op":"replace","path":"/0/\#(path)","value":"hush-\#(value)"}"#
        }
        #expect(try places(of: 2) == [replacing("super/x", "2"), replacing("y", "7")])
        #expect(
            try places(of: 3) == [
                replacing("x/a", "7"), replacing("y/0", "7"), replacing("y/1/0", "3"),
                replacing("y/1/1", "7"),
            ])
    }

    @Test func `a form that keeps no secrets has none, and leads to one that does`() throws {
        let closed = try encoder.encode(records(50), after: nil).form
        #expect(closed.secrets() == nil && !closed.text.holdsSecrets)
        let change = try encode(records(50), after: closed)
        #expect(change.patch == nil && change.secrets == change.form.secrets())
        #expect(change.secrets != nil)
        let back = try encoder.encode(records(50), after: change.form)
        #expect(back.patch == nil && back.secrets == nil && !back.form.text.holdsSecrets)
    }

    @Test func `a secret that cannot be encoded is a failure only where it is kept`() throws {
        let pears = [[Secret(Pear()), Secret(Pear(isBad: true))]]
        #expect(try encoder.encode(pears, after: nil).patch == nil)
        let failure = #expect(throws: EncodingFailure.self) { try encode(pears, after: nil) }
        #expect(failure?.pointer == JSONPointer(tokens: ["0", "1"]))
        #expect(failure?.detail == "A secret cannot be encoded.")
        #expect(throws: EncodingFailure.self) { try encode(Secret(Chain(1000)), after: nil) }
        #expect(try encoder.encode(SecretUnheard(), after: nil).form.secrets() == nil)
        #expect(throws: EncodingFailure.self) { try encode(SecretUnheard(), after: nil) }
    }

    @Test func `a type that wraps a secret in odd ways is refused, or written`() throws {
        #expect(throws: EncodingFailure.self) { try encode(SecretTwice(), after: nil) }
        let form = try encode([SecretKeyTwice()], after: nil).form
        #expect(form.change(from: try encode([SecretKeyTwice()], after: form).form).secrets == nil)
        #expect(try form.bytes() == encodedBytes([SecretKeyTwice()]))
    }

    @Test func `a type that is not encodable stays redacted`() throws {
        let form = try encode([Secret(Unencodable())], after: nil).form
        #expect(form.bytes() == Array(#"["<redacted>"]"#.utf8) && form.secrets() == nil)
    }

    @Test func `nothing but the record whose secret has changed is asked again`() throws {
        let tally = AskedSecretly.Tally()
        var list = (0..<10_000).map { AskedSecretly(id: $0, code: Secret($0), tally: tally) }
        let form = try encode(list, after: nil).form
        #expect(tally.count.load(ordering: .relaxed) == 10_000)
        list[7000].code = Secret(-1)
        let change = try encode(list, after: form)
        #expect(tally.count.load(ordering: .relaxed) == 10_001)
        #expect(change.patch == nil)
        #expect(
            change.secrets?.value.operations
                == Array(#"[{"op":"replace","path":"/7000/code","value":-1}]"#.utf8))
        let pieces = try #require(form.text.whole.hole).pieces
        let others = try #require(change.form.text.whole.hole).pieces
        #expect(zip(pieces, others).count { $0 !== $1 } == 1)
    }
}

/// A text, which may be hidden.
private enum SecretText: Encodable {
    case shown(String)
    case hidden(Secret<String>)

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .shown(let text): try container.encode(text)
        case .hidden(let secret): try container.encode(secret)
        }
    }
}

/// A record with a secret that counts how often records are encoded.
private struct AskedSecretly: Encodable, Identifiable, Sendable {
    final class Tally: Sendable {
        let count = Atomic<Int>(0)
    }

    var id: Int
    var code: Secret<Int>
    let tally: Tally

    private enum CodingKeys: CodingKey { case id, code }

    func encode(to encoder: any Encoder) throws {
        tally.count.add(1, ordering: .relaxed)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(code, forKey: .code)
    }
}

private struct Unencodable: Sendable {}

/// Two secrets for one value.
private struct SecretTwice: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Secret(1))
        try container.encode(Secret(2))
    }
}

/// A secret that fails unheard.
private struct SecretUnheard: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SampleKey.self)
        try? container.encode(Secret(Pear(isBad: true)), forKey: .a)
        try container.encode(1, forKey: .b)
    }
}

/// A name twice.
private struct SecretKeyTwice: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SampleKey.self)
        try container.encode(Secret(1), forKey: .a)
        try container.encode(Secret(2), forKey: .a)
    }
}
