import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Redux
import Testing

@Suite struct SealingTests {
    private static let planted = "correct horse battery staple"

    private func secret(_ number: Int) -> Secret<[UInt8]> {
        Secret(
            Array(#"[{"op":"replace","path":"/bid","value":"\#(Self.planted) \#(number)"}]"#.utf8))
    }

    private var new: NewSession {
        NewSession(epoch: "k3f9x2ab", created: TestSession.created, schema: 1) {
            Array(#"{"bid":"<redacted>"}"#.utf8)
        } secrets: {
            Secret(Array(#"[{"op":"replace","path":"/bid","value":"\#(Self.planted) 0"}]"#.utf8))
        }
    }

    private func entry(_ version: UInt64, secret: Secret<[UInt8]>?) -> EncodedEntry {
        EncodedEntry(
            version: version, at: TestSession.created, head: Array(#"{"origin":"client"}"#.utf8),
            patch: nil, secrets: secret)
    }

    private func append(
        _ entry: EncodedEntry, to lease: Lease, of journal: SQLiteJournal
    ) async -> AppendOutcome? {
        let outcomes = Outcomes()
        let batch = AppendBatch(
            lease: lease, expected: entry.version - 1, count: 1, receiver: outcomes, ticket: 1)
        if let outcome = journal.append(batch, [entry]) { return outcome }
        return await outcomes.outcome(of: 1)
    }

    @Test(arguments: [0, 1, 70])
    func `a secret comes back after a restart, and stands nowhere in clear`(
        count: Int
    ) async throws {
        let place = try Place()
        let name = SessionName(mount: "/auction", id: "a")
        var journal = try SQLiteJournal(directory: place.journal)
        let made = try #require(try await journal.open(name, making: new))
        for number in 0..<count {
            let entry = entry(UInt64(number + 1), secret: secret(number + 1))
            #expect(await append(entry, to: made.lease, of: journal) == .kept)
        }
        try await journal.keep(nil, of: made.lease, isAsleep: true)
        await journal.close()
        for file in try FileManager.default.contentsOfDirectory(atPath: place.journal) {
            let bytes = try Data(contentsOf: URL(filePath: "\(place.journal)/\(file)"))
            #expect(bytes.range(of: Data(Self.planted.utf8)) == nil, "\(file)")
        }
        journal = try SQLiteJournal(directory: place.journal)
        let opened = try await journal.open(name, making: nil)
        let json = String(decoding: opened?.document?.json ?? [], as: UTF8.self)
        #expect(json == #"{"bid":"\#(Self.planted) \#(count)"}"#)
        let shown = try await journal.document(of: name, at: UInt64(count))
        #expect(String(decoding: shown.json, as: UTF8.self) == #"{"bid":"<redacted>"}"#)
        await journal.close()
    }

    @Test func `without its key a session with secrets is not opened, and others are`() async throws
    {
        let place = try Place()
        let name = SessionName(mount: "/auction", id: "a")
        var journal = try SQLiteJournal(directory: place.journal)
        _ = try await journal.open(name, making: new)
        var other = try await TestSession("b", in: journal)
        try await other.append()
        await journal.close()
        let key = "\(place.journal)/journal.key"
        try FileManager.default.moveItem(atPath: key, toPath: "\(key).away")
        journal = try SQLiteJournal(directory: place.journal)
        let closed = journal
        try await expect(.missingKey) { () throws(JournalFailure) in
            try await closed.open(name, making: nil)
        }
        try await other.reopen(in: journal)
        #expect(
            await append(entry(2, secret: secret(1)), to: other.lease, of: journal)
                == .refused(.missingKey))
        #expect(!FileManager.default.fileExists(atPath: key))
        let (late, beginning) = (SessionName(mount: "/auction", id: "late"), new)
        try await expect(.missingKey) { () throws(JournalFailure) in
            try await closed.open(late, making: beginning)
        }
        #expect(try await journal.open(late, making: nil) == nil)
        try await other.append()
        try FileManager.default.moveItem(atPath: "\(key).away", toPath: key)
        #expect(try await journal.open(name, making: nil) != nil)
        await journal.close()
    }

    @Test func `a keyed hash is SipHash with 128 bits`() {
        let hash = KeyedHash(key: Array(0..<16))
        let vectors: [([UInt8], String)] = [
            ([], "a3817f04ba25a8e66df67214c7550293"), ([0], "da87c1d86b99af44347659119b22fc45"),
        ]
        for (text, digits) in vectors {
            let found = hash.hash(of: text).map { String(format: "%02x", $0) }.joined()
            #expect(found == digits)
        }
    }
}
