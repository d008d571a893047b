import Testing

@testable import StateCoding

struct EncodedFormTests {
    private let encoder = StateEncoder()

    /// Seeds, and sizes of collections: most small, some of several pieces.
    static let runs = (1...20).map { (seed: UInt64($0), size: $0 % 4 == 0 ? 150 : 12) }

    @Test(arguments: runs)
    func `whatever changes, the bytes are those of a fresh encoding, and the patch leads to them`(
        seed: UInt64, size: Int
    ) throws {
        var generator = FormStateGenerator(seed: seed, size: size)
        var state = generator.state()
        var form = try encoder.encode(state, after: nil).form
        var tree = try OrderedTree(form.bytes())
        for round in 0..<editCount(share: size > 12 ? 100 : 20) {
            let former = state
            for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
                generator.change(&state)
            }
            let change = try encoder.encode(state, after: form)
            let bytes = change.form.bytes()
            var fresh: [UInt8] = []
            try encoder.encode(state, into: &fresh)
            try #require(bytes == fresh, "seed \(seed), round \(round)")
            try #require(change.form.byteCount == bytes.count, "seed \(seed), round \(round)")
            let patch = change.patch?.operations
            try #require((patch == nil) == (form.bytes() == bytes), "seed \(seed), round \(round)")
            if let patch {
                try #require(patch.count <= bytes.count + 40, "seed \(seed), round \(round)")
                tree = try tree.applying(patch)
                try #require(
                    tree.text == bytes,
                    "seed \(seed), round \(round): \(String(decoding: patch, as: UTF8.self))")
            }
            let anew = try encoder.encode(former, after: nil).form
            let again = try encoder.encode(state, after: anew).patch
            try #require(again == change.patch, "seed \(seed), round \(round)")
            form = change.form
        }
    }
}
