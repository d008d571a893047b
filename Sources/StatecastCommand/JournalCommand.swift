import ArgumentParser
import Glibc
import JournalPostgreSQL
import JournalSQLite
import Journaling
import Logging
import Sockets
import StateCoding

/// What can be done with a journal's directory, or database.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Checks, copies, exports, imports and compacts a journal.",
        subcommands: [
            Init.self, Check.self, Copy.self, Export.self, Import.self, Compact.self,
        ])

    /// The directory, and the key of its secrets.
    struct Place: ParsableArguments {
        @Argument(help: "The journal's directory, or postgresql://user@host/database.")
        var directory: String

        @Option(
            help: "The key by which secrets are sealed; journal.key in the directory unless set.")
        var keyFile: String?

        var journal: JournalDirectory {
            get throws {
                var options = SQLiteJournal.Options()
                options.keyFile = keyFile
                guard !isDatabase else {
                    throw ValidationError(
                        "A database is copied by pg_dump, and compacted by PostgreSQL itself.")
                }
                return JournalDirectory(directory, options: options)
            }
        }

        var isDatabase: Bool { JournalPlace.isDatabase(directory) }

        var database: PostgreSQLJournal.Options {
            var options = PostgreSQLJournal.Options()
            options.keyFile = keyFile
            options.isGuest = true
            return options
        }

        /// Has the journal of a database for one command.
        func withDatabase<Value>(
            _ body: (PostgreSQLJournal) async throws -> Value
        ) async throws -> Value {
            let journal = try PostgreSQLJournal(directory, options: database)
            let result: Result<Value, any Error>
            do { result = .success(try await body(journal)) } catch { result = .failure(error) }
            await journal.close()
            return try result.get()
        }
    }

    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Makes the tables of a journal in PostgreSQL, or looks whether they are there.",
            discussion: "A server makes them, too, where its role may.")

        @OptionGroup var place: Place

        func validate() throws {
            guard place.isDatabase else {
                throw ValidationError("A directory is made by the server that has it.")
            }
        }

        func run() throws {
            do throws(JournalRefusal) {
                let name = try PostgreSQLJournal.make(place.directory, options: place.database)
                Report.say("the journal in \(name) is there", [("database", .text(name))])
            } catch {
                ProcessEnd.refuse(error.description)
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Reads all of a journal, also while a server has it; exits 1 where it is damaged.")

        @OptionGroup var place: Place

        func run() async throws {
            let progress = Report.progress("sessions read")
            let found: JournalDirectory.Check
            if place.isDatabase {
                let all = try await place.withDatabase { try await $0.check { progress($0, 0) } }
                found = (all.sessions, all.entries, all.erasures, all.damaged, [])
            } else {
                found = try place.journal.check(progress)
            }
            for (session, good) in found.damaged {
                let rest = good.map { "; its version \($0) is whole" } ?? ""
                Report.say(
                    "\(session) is damaged\(rest)",
                    [("damaged", .text(session)), ("good", good.map { .number(Int($0)) } ?? .none)])
            }
            for text in found.pages { Report.say("the database: \(text)", [("page", .text(text))]) }
            Report.say(
                """
                \(found.sessions) sessions with \(found.entries) entries, \
                \(found.damaged.count) damaged; \(found.erasures) erasures go on
                """,
                [
                    ("sessions", .number(found.sessions)), ("entries", .number(found.entries)),
                    ("erasures", .number(found.erasures)),
                ])
            if !found.damaged.isEmpty || !found.pages.isEmpty { throw ExitCode.failure }
        }
    }

    struct Copy: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies a journal into another directory, also while a server has it.",
            discussion: "The key of its secrets is not copied: keep it elsewhere.")

        @OptionGroup var place: Place

        @Argument(help: "The directory of the copy.")
        var copy: String

        func run() throws {
            let progress = Report.progress("pages copied")
            var count = 0
            try place.journal.copy(to: copy) { done, all in
                count = done
                progress(done, all)
            }
            Report.say("\(count) pages copied", [("pages", .number(count))])
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints sessions as lines of JSON, also while a server has the journal.",
            discussion:
                "Exits 1 where something is damaged, behind the rest; 74 where it cannot write.")

        @OptionGroup var place: Place

        @Option(help: "One session, /counter/sessions/demo; all unless set.")
        var session: String?

        @Flag(help: "Print secrets in clear; without them a session that has some is not imported.")
        var secrets = false

        func run() async throws {
            let lost =
                place.isDatabase
                ? try await exportDatabase()
                : try place.journal.export(
                    session, withSecrets: secrets, Report.progress("sessions exported"), Self.write)
            for sentence in lost { ProcessEnd.write(sentence + "\n", to: 2) }
            if !lost.isEmpty { throw ExitCode.failure }
        }

        private func exportDatabase() async throws -> [String] {
            let (count, lost) = try await place.withDatabase {
                try await $0.export(session, withSecrets: secrets, Self.write)
            }
            guard let session, count == 0 else { return lost }
            throw ValidationError("There is no session \(session).")
        }

        /// A line that is lost would not be missed.
        private static func write(_ line: [UInt8]) {
            guard !ProcessEnd.write(String(decoding: line, as: UTF8.self) + "\n", to: 1) else {
                return
            }
            ProcessEnd.write("The output cannot be written.\n", to: 2)
            ProcessEnd.finish(74)
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Takes in lines of `export` from standard input, while no server has the journal.",
            discussion: """
                All sessions, or none where one of the lines cannot be taken in; into a database those \
                before it. Idempotency keys count on where they were exported with --secrets and the \
                journal is empty, or the same.
                """)

        @OptionGroup var place: Place

        @Flag(help: "Erase a session that is there; the one in its place has another epoch.")
        var replace = false

        func run() async throws {
            let lines = sequence(state: ()) { _ in readLine().map { Array($0.utf8) } }
            let (count, withoutKeys) =
                place.isDatabase
                ? try await PostgreSQLJournal.import(
                    lines, into: place.directory, options: place.database, isReplacing: replace)
                : try place.journal.import(
                    lines, isReplacing: replace, Report.progress("lines imported"))
            let rest = "; the idempotency keys of \(withoutKeys) count no more"
            Report.say(
                "\(count) sessions imported\(withoutKeys == 0 ? "" : rest)",
                [("sessions", .number(count)), ("withoutKeys", .number(withoutKeys))])
        }
    }

    struct Compact: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives the disk back what a journal does not need, while no server has it.")

        @OptionGroup var place: Place

        func run() throws {
            let (before, after) = try place.journal.compact()
            Report.say(
                "\(before) bytes before, \(after) now",
                [("before", .number(before)), ("after", .number(after))])
        }
    }
}

/// What a command tells: sentences on a terminal, JSON in a pipe.
enum Report {
    enum Value {
        case none
        case number(Int)
        case text(String)

        var text: String {
            switch self {
            case .none: ""
            case .number(let number): "\(number)"
            case .text(let text): text
            }
        }
    }

    /// The rows of a table, which have members of the same names.
    static func say(_ rows: [[(name: String, value: Value)]]) {
        let texts = [rows.first?.map(\.name) ?? []] + rows.map { $0.map(\.value.text) }
        let widths = texts[0].indices.map { column in texts.map { $0[column].count }.max() ?? 0 }
        let lines = texts.map { row in
            zip(row, widths).map { Limits.padded($0, to: $1) }.joined(separator: "  ")
        }
        if isatty(1) == 1 { print(lines[0]) }
        for (line, row) in zip(lines.dropFirst(), rows) { say(line, row) }
    }

    static func say(_ sentence: String, _ members: [(name: String, value: Value)]) {
        guard isatty(1) == 0 else { return print(sentence) }
        let json = JSONWriter.object { writer in
            for (name, value) in members {
                switch value {
                case .none: break
                case .number(let number): writer.member(name, number)
                case .text(let text): writer.member(name, text)
                }
            }
        }
        print(String(decoding: json, as: UTF8.self))
    }

    /// Logs to a terminal how far a long work is, each twentieth of it.
    static func progress(_ what: String) -> JournalDirectory.Progress {
        guard isatty(2) == 1 else { return { _, _ in } }
        let logger = Logger(label: "statecast") { StreamLogHandler.standardError(label: $0) }
        return { done, all in
            guard done % max(1, all == 0 ? 10_000 : all / 20) == 0 else { return }
            logger.notice(all == 0 ? "\(done) \(what)" : "\(done) of \(all) \(what)")
        }
    }
}
