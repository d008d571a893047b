import FileJournal
import Foundation
import JournalConformance
import JournalPostgreSQL
import JournalSQLite
import PostgreSQLServer
import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// Notes, in the forms of three builds.
private enum Notes {
    struct Moody: StateValue, Writable {
        var texts: [String] = []
        var mood = "calm"
    }

    struct Colored: StateValue, Writable {
        var texts: [String] = []
        var color: String?
    }

    struct Titled: StateValue, Writable {
        var texts: [String] = []
        var color: String?
        var title = "Notes"

        static let schema = Schema(
            version: 2,
            migrations: [
                Migration(from: 1) { (old: Colored) in
                    Titled(texts: old.texts, color: old.color)
                }
            ])
    }

    protocol Writable: StateValue {
        init()
        var texts: [String] { get set }
    }

    struct Application<State: Writable>: Statecast.Application {
        enum Action: ActionGroup { case wrote(String) }

        let initialState = State()
        let views = Views<State>.all

        func reduce(_ state: inout State, _ action: Action, _ step: Step) {
            if case .wrote(let text) = action { state.texts.append(text) }
        }

        func work(in state: State) -> [Work<Action>] {}
    }
}

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

    @Test(
        .enabled(
            if: PostgreSQLServer.isThere,
            "PostgreSQL 15 is not installed (Debian's package postgresql)"))
    func `keeps a list in PostgreSQL`() async throws {
        let address = try PostgreSQLServer.shared().makeDatabase()
        let home = "/list/sessions/home"
        for round in 0...1 {
            var configuration = TestServer.configuration
            configuration.journal = try PostgreSQLJournal(address)
            try await servingShoppingList(configuration) { server in
                #expect(try server.send("PUT", home).status == (round == 0 ? 201 : 200))
                if round == 0 {
                    try server.dispatch(home, "list/added", #"{"name":"Milk"}"#)
                }
                #expect(
                    try server.send("GET", "\(home)/state?view=to-buy").body == #"["Milk"]"#)
            }
        }
    }

    @Test func `has states of earlier builds read`() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "journal-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        func state<State>(
            in build: Notes.Application<State>, _ schema: Schema = Schema(), writing text: String
        ) async throws -> String {
            var configuration = TestServer.configuration
            configuration.journal = try SQLiteJournal(directory: directory)
            return try await TestServer.run(
                configuration, serving: { Served("/notes", build, options: .init(schema: schema)) }
            ) { server in
                let notes = "/notes/sessions/home"
                try server.create(notes)
                try server.dispatch(notes, "wrote", #""\#(text)""#)
                return try server.send("GET", "\(notes)/state").body
            }
        }
        #expect(
            try await state(in: Notes.Application<Notes.Moody>(), writing: "a")
                == #"{"texts":["a"],"mood":"calm"}"#)
        for text in ["b", "c"] {
            #expect(
                try await state(in: Notes.Application<Notes.Colored>(), writing: text)
                    .hasSuffix(#""\#(text)"]}"#))
        }
        #expect(
            try await state(in: Notes.Application<Notes.Titled>(), writing: "d")
                .contains("/problems/unreadable"))
        #expect(
            try await state(
                in: Notes.Application<Notes.Titled>(), Notes.Titled.schema, writing: "d")
                == #"{"texts":["a","b","c","d"],"title":"Notes"}"#)
    }

    @Test(arguments: JournalConformance.Law.allCases)
    func `of one file keeps the laws`(law: JournalConformance.Law) async throws {
        let path = NSTemporaryDirectory() + "journal-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await JournalConformance { try FileJournal(path) }.hold(law)
    }
}
