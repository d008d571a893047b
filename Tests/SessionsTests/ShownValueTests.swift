import Bytes
import StateCoding
import Testing

@testable import Sessions

/// A view with a list of more than 128 bytes, and with members outside of it.
private struct Board: Encodable {
    struct Line: Encodable, Equatable {
        var id: Int
        var text: String
    }

    var title = "board"
    var lines: [Line]

    init(count: Int) {
        lines = (0..<count).map { Line(id: $0, text: "line number \($0)") }
    }
}

@Suite struct `The value that a projection shows` {
    /// The bytes that an encoder writes by itself.
    private func bytes(of value: some Encodable) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try StateEncoder().encode(value, into: &bytes)
        return bytes
    }

    /// Encodes a view as it is shown from a version on.
    private func show(
        _ value: some Encodable, in shown: Projection, at version: UInt64
    ) throws {
        var output = shown.output(nil)
        try output.write(value)
        shown.show(output, at: version)
    }

    private func hide(_ shown: Projection, at version: UInt64) {
        var output = shown.output(nil)
        output.leaveScope()
        shown.show(output, at: version)
    }

    /// A view that one client watches.
    private func watched() -> Projection {
        let projection = Projection(.view(ShownView(name: "board")), changedAt: 1)
        projection.add(watchers: 1)
        return projection
    }

    private func patch(_ shown: Projection, from version: UInt64) -> [UInt8]? {
        if case .patch(_, let operations) = shown.catchUp(from: version) { return operations }
        return nil
    }

    @Test(arguments: [10, 100, 1_000])
    func `is led to by patches from the text that it was before they were asked for`(
        count: Int
    ) throws {
        var board = Board(count: count)
        let shown = watched()
        try show(board, in: shown, at: 1)
        shown.keepPatches(byteLimit: 1 << 20)
        var chance = SplitMix(seed: UInt64(count))
        var client = try bytes(of: board)
        for version in UInt64(2)...60 {
            board.edit(&chance)
            try show(board, in: shown, at: version)
            let operations = try #require(patch(shown, from: version - 1))
            var document = PatchedDocument(client)
            try document.apply(operations.span)
            client = document.bytes()
            let fresh = try bytes(of: board)
            #expect(client == fresh)
            #expect(shown.byteCount == fresh.count)
            guard version % 7 == 0 else { continue }
            #expect(shown.json?.bytes == fresh)
        }
    }

    @Test func `is led to by a patch where it is larger than texts that are compared`() throws {
        var board = Board(count: 60_000)
        let shown = watched()
        try show(board, in: shown, at: 1)
        #expect(shown.byteCount.map { $0 > 2 << 20 } == true)
        shown.keepPatches(byteLimit: 1 << 20)
        for version in UInt64(2)...3 {
            board.lines[40_000].id += 1
            try show(board, in: shown, at: version)
            let operations = try #require(patch(shown, from: version - 1))
            let id = board.lines[40_000].id
            let expected = #"[{"op":"replace","path":"/lines/40000/id","value":\#(id)}]"#
            #expect(String(decoding: operations, as: UTF8.self) == expected)
        }
    }

    private final class JSONBody {}

    @Test func `is the same where it is encoded again to the same text`() throws {
        let board = Board(count: 100)
        let shown = watched()
        for isPatched in [false, true] {
            if isPatched {
                shown.keepPatches(byteLimit: 1 << 20)
            }
            try show(board, in: shown, at: 1)
            #expect(shown.renewedAt == 1)
            shown.body = JSONBody()
            try show(Board(count: 100), in: shown, at: 2)
            #expect(shown.renewedAt == 1 && shown.encodedAt == 2 && shown.body != nil)
        }
    }

    @Test func `begins anew behind a while out of scope`() throws {
        let shown = watched()
        shown.keepPatches(byteLimit: 1 << 20)
        try show(Board(count: 10), in: shown, at: 1)
        hide(shown, at: 2)
        #expect(shown.byteCount == nil && shown.json == nil && shown.renewedAt == 2)
        hide(shown, at: 3)
        hide(shown, at: 4)
        #expect(shown.encodedAt == 4 && shown.renewedAt == 2)
        try show(Board(count: 10), in: shown, at: 5)
        #expect(shown.renewedAt == 5 && shown.catchUp(from: 1) == .snapshot)
        try show(Board(count: 11), in: shown, at: 6)
        #expect(patch(shown, from: 5) != nil)
    }

    @Test func `is compared with its text once its patches are forgotten`() throws {
        let (board, start) = (Board(count: 100), Instant(nanoseconds: 0))
        let shown = watched()
        shown.keepPatches(byteLimit: 1 << 20)
        try show(board, in: shown, at: 1)
        _ = shown.agePatches(isTight: true, byteLimit: 1 << 20, at: start)
        #expect(shown.patches == nil)
        try show(board, in: shown, at: 2)
        #expect(shown.renewedAt == 1)
        #expect(shown.json?.bytes == (try bytes(of: board)))
        shown.keepPatches(byteLimit: 1 << 20)
        try show(board, in: shown, at: 3)
        shown.add(watchers: -1)
        _ = shown.agePatches(isTight: true, byteLimit: 1 << 20, at: start)
        #expect(shown.encodedAt == nil && shown.byteCount == nil)
    }
}

extension Board {
    /// Changes something, by chance.
    fileprivate mutating func edit(_ chance: inout SplitMix) {
        let number = Int.random(in: 1_000...9_999, using: &chance)
        let place = lines.isEmpty ? 0 : Int.random(in: 0..<lines.count, using: &chance)
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: title = "board \(number)"
        case 1 where !lines.isEmpty: lines.remove(at: place)
        case 2 where !lines.isEmpty: lines[place].text += "!"
        default: lines.insert(Line(id: number, text: "a new line"), at: place)
        }
    }
}
