import Foundation
import JournalConformance
import JournalPostgreSQL
import Journaling
import PostgreSQL
import PostgreSQLServer
import Testing

/// A journal's schema in the database of all tests, for one test.
final class Place: Sendable {
    let server: PostgreSQLServer
    let schema: String
    private let thread: DatabaseThread

    private struct Lane: DatabaseLane {
        let schema: String
        func greeting(after backends: [Int64]) -> [Call] {
            [Statement(once: "SELECT set_config('search_path', '\(schema)', false)")()]
        }
        var patience: Duration { .seconds(60) }
        func refusal(by reply: Reply) -> String? { nil }
        func changed(isUp: Bool) {}
    }

    /// - Parameter folders: of the sockets that are tried for the connection beside all journals.
    init(
        _ server: PostgreSQLServer? = nil, schema: String? = nil, by folders: [String] = []
    ) throws {
        self.server = try server ?? .shared()
        let made = "t" + UUID().uuidString.replacing("-", with: "").lowercased()
        self.schema = schema ?? made
        let places = (folders + [self.server.place]).joined(separator: ",")
        thread = DatabaseThread(PostgreSQLServer.address(places) + "&connect_timeout=2")
        try thread.start(Lane(schema: self.schema))
    }

    deinit { thread.end() }

    var options: PostgreSQLJournal.Options {
        var options = PostgreSQLJournal.Options()
        options.schema = schema
        options.keyFile = "\(NSTemporaryDirectory())/\(schema).key"
        return options
    }

    /// - Parameter folder: of the socket by which the database is reached.
    func open(
        by folder: String? = nil, _ change: (inout PostgreSQLJournal.Options) -> Void = { _ in }
    ) throws -> PostgreSQLJournal {
        var options = options
        change(&options)
        let address = folder.map { PostgreSQLServer.address($0) } ?? server.address
        return try PostgreSQLJournal(
            "\(address)&application_name=\(schema)", options: options)
    }

    /// Asks the database beside all journals.
    @discardableResult
    func ask(_ texts: String...) async throws -> [ResultRow] {
        try await thread.run(texts.map { Statement(once: $0)() }).last ?? []
    }
}

/// Looks until something is so, for a minute at most.
func until(
    sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while try await !isSo() {
        try #require(ContinuousClock.now < end, sourceLocation: sourceLocation)
        await Task.yield()
    }
}

/// Tests that need PostgreSQL are told as skipped where there is none.
let withPostgreSQL = ConditionTrait.enabled(
    if: PostgreSQLServer.isThere, "PostgreSQL 15 is not installed (Debian's package postgresql)")
