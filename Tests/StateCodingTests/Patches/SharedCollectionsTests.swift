import Synchronization
import Testing

@testable import StateCoding

@Suite struct `Collections that values have in common` {
    /// Counts how often it is written.
    private struct Line: Encodable, Sendable {
        static let count = Mutex(0)
        var text: String

        func encode(to encoder: any Encoder) throws {
            Self.count.withLock { $0 += 1 }
            try text.encode(to: encoder)
        }
    }

    private struct Seen: Encodable {
        var lines: [Line]
        var byName: [String: [Line]]
        var own: [String]
    }

    /// What so many viewers see: a chat, alone and by a name, beside a part of their own.
    private static func seen(by count: Int) -> [Seen] {
        let lines = (0..<100).map { Line(text: "Good evening, this is line \($0).") }
        let byName = ["all": lines]
        return (0..<count).map { viewer in
            Seen(
                lines: lines, byName: byName, own: (0..<20).map { "card \($0) of \(viewer)" })
        }
    }

    private func bytes(_ value: some Encodable) throws -> [UInt8] {
        var output: [UInt8] = []
        try StateEncoder().encode(value, into: &output)
        return output
    }

    @Test(arguments: [false, true])
    func `are written by one of them, and copied by the others`(inForms: Bool) throws {
        let values = Self.seen(by: 1_000)
        let common = SharedCollections()
        let before = Line.count.withLock { $0 }
        var texts: [[UInt8]] = []
        for value in values {
            if inForms {
                texts.append(try StateEncoder().form(of: value, after: nil, common).bytes())
            } else {
                var output: [UInt8] = []
                try StateEncoder().encode(value, into: &output, common)
                texts.append(output)
            }
        }
        // Once at each of their depths.
        #expect(Line.count.withLock { $0 } - before == 200)
        for place in [0, 1, 499, 999] { #expect(texts[place] == (try bytes(values[place]))) }
    }

    @Test func `lead on by patches that are each value's own`() throws {
        let former = Self.seen(by: 3)
        let (before, common) = (SharedCollections(), SharedCollections())
        let forms = try former.map { try StateEncoder().form(of: $0, after: nil, before) }
        let lines = Array(former[0].lines.dropFirst()) + [Line(text: "This is a new line.")]
        for (value, form) in zip(former, forms) {
            let next = Seen(lines: lines, byName: value.byName, own: value.own)
            let own = try StateEncoder().form(of: next, after: form)
            let shared = try StateEncoder().form(of: next, after: form, common)
            let patch = try #require(shared.change(from: form, common).patch)
            #expect(patch == own.change(from: form).patch)
            #expect(patch.operations.count < 200)
        }
    }

    /// Writes itself without what cannot be encoded.
    private struct Lenient: Encodable {
        var pears: [Pear]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: SampleKey.self)
            try? container.encode(pears, forKey: .x)
        }
    }

    @Test(arguments: [false, true])
    func `are written by each value where a type goes on behind a failure`(inForms: Bool) throws {
        let fine = Array(repeating: Lenient(pears: [Pear(), Pear()]), count: 30)
        let value = [fine + [Lenient(pears: [Pear(), Pear(isBad: true)])], fine]
        let (fresh, common) = (try bytes(value), SharedCollections())
        // Many times: none takes anything of the depth that later ones have.
        for _ in 0..<400 {
            var output: [UInt8] = []
            if inForms {
                output = try StateEncoder().form(of: value, after: nil, common).bytes()
            } else {
                try StateEncoder().encode(value, into: &output, common)
            }
            try #require(output == fresh)
        }
    }

    /// Seeds, and sizes of collections.
    @Test(arguments: EncodedFormTests.runs)
    func `come to the bytes of a fresh encoding, whatever differs`(
        seed: UInt64, size: Int
    ) throws {
        var generator = FormStateGenerator(seed: seed, size: size, isInterleaved: seed % 4 == 1)
        var state = generator.state()
        let (texts, forms) = (SharedCollections(), SharedCollections())
        var form: EncodedForm?
        for round in 0..<editCount(share: size > 5 ? 400 : 32) {
            if round % 3 > 0 { generator.change(&state) }
            let fresh = try bytes(state)
            var output: [UInt8] = []
            try StateEncoder().encode(state, into: &output, texts)
            try #require(output == fresh, "seed \(seed), round \(round)")
            let next = try StateEncoder().form(of: state, after: form, forms)
            try #require(next.bytes() == fresh, "seed \(seed), round \(round)")
            try #require(
                next.change(from: form, forms).patch == next.change(from: form).patch,
                "seed \(seed), round \(round)")
            if round % 2 == 0 { form = next }
        }
    }
}
