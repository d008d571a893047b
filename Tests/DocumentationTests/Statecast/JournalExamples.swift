import FileJournal
import Foundation
import JournalConformance
import JournalSQLite
import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `A journal` {
    @Test func `keeps a list over a restart`() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "journal-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let home = "/list/sessions/home"

        for round in 0...1 {
            var configuration = TestServer.configuration
            configuration.journal = try SQLiteJournal(directory: directory)
            try await servingShoppingList(configuration) { server in
                let made = try server.send("PUT", home)
                #expect(made.status == (round == 0 ? 201 : 200))
                #expect(made.body.contains(#""journal":"durable""#))
                if round == 0 {
                    try server.dispatch(home, "list/added", #"{"name":"Milk"}"#)
                }
                #expect(
                    try server.send("GET", "\(home)/state?view=to-buy").body == #"["Milk"]"#)
            }
        }
    }

    @Test(arguments: JournalConformance.Law.allCases)
    func `of one file keeps the laws`(law: JournalConformance.Law) async throws {
        let path = NSTemporaryDirectory() + "journal-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await JournalConformance { try FileJournal(path) }.hold(law)
    }
}
