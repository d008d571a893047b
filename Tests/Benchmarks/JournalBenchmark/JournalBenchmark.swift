import Benchmark
import BenchmarkModel
import FileJournal
import Foundation
import JournalPostgreSQL
import JournalSQLite
import Journaling
import PostgreSQLServer
import Redux
import Statecast
import StateCoding
import Threads

/// `journal-benchmark [SECONDS] [ROUNDS] [SHAPE]`: entries of 256 bytes, written durably by one writer, so many
/// in flight over so many sessions: appended to a file (the limit), inserted through SQLite's own
/// functions, and handed by another thread to a journal in one file and to the journal; and the same of
/// PostgreSQL, where it is installed. `SHAPE` is the number of a row, from 0. Below `$DIR`, else in the folder for
/// temporary files. `journal-benchmark database` has an empty database until its input ends, and
/// `journal-benchmark sleepers ADDRESS SESSIONS` makes sessions in one that sleep.
@main struct JournalBenchmark {
    static let shapes = [(1, 1_000), (64, 1_000), (64, 1), (1_000, 1_000), (64, 100_000)]

    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "fill", words.count == 4 {
            return try await Restart.fill(
                words[2], sessions: Int(words[3]) ?? 0, entries: Int(words[4]) ?? 0)
        }
        if words.first == "restart", words.count == 2 { return try await Restart.measure(words[2]) }
        if words.first == "sleep", words.count == 4 {
            return try await Restart.sleep(
                words[2], sessions: Int(words[3]) ?? 0, seconds: Int(words[4]) ?? 0)
        }
        if words.first == "sleepers", words.count == 3 {
            let journal = try PostgreSQLJournal(words[2])
            try await Restart.makeSleepers(Int(words[3]) ?? 0, in: journal)
            return await journal.close()
        }
        if words.first == "serve", words.count >= 3 {
            return try await Serving.run(
                words[2], port: Int(words[3]) ?? 0,
                itemCount: words.count > 3 ? Int(words[4]) ?? 20 : 20,
                directory: words.count > 4 ? words[5] : nil)
        }
        if words.first == "database" {
            let server = try Self.makeDatabase()
            print(server.address)
            fflush(nil)
            while readLine() != nil {}
            return withExtendedLifetime(server) {}
        }
        let arguments = words.compactMap { Double($0) }
        let seconds = arguments.first ?? 1.5
        let rounds = arguments.count > 1 ? Int(arguments[1]) : 3
        let database = PostgreSQLServer.isThere ? try makeDatabase() : nil
        let columns = "entries/s  CPU µs  writer  p50 µs  p99 µs    B/entry"
        print("in flight  sessions  what             \(columns)")
        let shape = arguments.count > 2 ? Int(arguments[2]) : nil
        for (index, (inFlight, sessions)) in shapes.enumerated() where shape ?? index == index {
            var rows: [String: [Measured]] = [:]
            for _ in 0..<rounds {
                let place = try Place()
                let load = Load(inFlight: inFlight, sessions: sessions, seconds: seconds)
                rows["file", default: []].append(try FileWriter(place.path).run(load))
                rows["SQLite", default: []].append(try RawWriter(place.path).run(load))
                let peer = try FileJournal("\(place.path)/peer")
                rows["handed to a file", default: []].append(
                    try await JournalWriter(peer, sessions).run(load))
                let journal = try SQLiteJournal(directory: "\(place.path)/journal")
                rows["journal", default: []].append(
                    try await JournalWriter(journal, sessions).run(load))
                guard let database else { continue }
                rows["postgresql-raw", default: []].append(
                    try RawDatabase(database.makeDatabase(), sessions).run(load))
                let shared = try PostgreSQLJournal(database.makeDatabase())
                rows["postgresql", default: []].append(
                    try await JournalWriter(shared, sessions).run(load))
            }
            for name in [
                "file", "SQLite", "handed to a file", "journal", "postgresql-raw", "postgresql",
            ] {
                guard let measured = rows[name] else { continue }
                print(
                    pad(inFlight, 9), pad(sessions, 9),
                    name.padding(toLength: 16, withPad: " ", startingAt: 0),
                    Measured.median(measured))
            }
        }
    }

    static func makeDatabase() throws -> PostgreSQLServer {
        try PostgreSQLServer("shared_buffers = 512MB\nmax_wal_size = 4GB\nwal_compression = on")
    }

    static func pad(_ number: Int, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

/// `journal-benchmark serve memory|file|sqlite|postgresql PORT [RECORDS [DIRECTORY]]`: the benchmarks' application on
/// one loop, whose sessions stand in a new directory below `$DIR` unless one is given.
enum Serving {
    static func run(
        _ journal: String, port: Int, itemCount: Int, directory: String?
    ) async throws {
        let path = try directory ?? Place.make()
        var configuration = ServerConfiguration()
        configuration.port = port
        var database: PostgreSQLServer?
        switch journal {
        case "file": configuration.journal = try FileJournal("\(path)/file")
        case "sqlite": configuration.journal = try SQLiteJournal(directory: "\(path)/journal")
        case "postgresql":
            let made = try JournalBenchmark.makeDatabase()
            configuration.journal = try PostgreSQLJournal(made.address)
            database = made
        default: break
        }
        let server = try Server(configuration) {
            Served("/benchmark", BenchmarkApplication(itemCount: itemCount))
        }
        try await server.run()
        withExtendedLifetime(database) {}
    }
}

/// What one writer is given.
struct Load {
    let inFlight: Int
    let sessions: Int
    let seconds: Double
}

/// What one writer has done.
struct Measured: CustomStringConvertible {
    var rate = 0.0
    var microseconds = 0.0
    /// Those of the thread that the entries are handed to.
    var writerMicroseconds = 0.0
    var half = 0
    var most = 0
    var byteCount = 0.0

    static func median(_ all: [Measured]) -> Measured {
        func middle<Value: Comparable>(_ path: KeyPath<Measured, Value>) -> Value {
            all.map { $0[keyPath: path] }.sorted()[all.count / 2]
        }
        return Measured(
            rate: middle(\.rate), microseconds: middle(\.microseconds),
            writerMicroseconds: middle(\.writerMicroseconds), half: middle(\.half),
            most: middle(\.most), byteCount: middle(\.byteCount))
    }

    var description: String {
        JournalBenchmark.pad(Int(rate), 10)
            + String(format: "%8.1f%8.1f", microseconds, writerMicroseconds)
            + JournalBenchmark.pad(half, 8) + JournalBenchmark.pad(most, 8)
            + JournalBenchmark.pad(Int(byteCount), 11)
    }
}

/// Times, the CPU and what was written since it began.
struct Stopwatch {
    private let start = Self.now
    private let cpu = Self.processor
    private let others = Self.others
    private let written = Self.written
    private(set) var times: [Int] = []

    static var now: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    mutating func note(_ nanoseconds: Int) { times.append(nanoseconds) }

    func isOver(_ load: Load) -> Bool { Double(Self.now - start) > load.seconds * 1e9 }

    func measured(_ count: Int) -> Measured {
        let sorted = times.sorted()
        return Measured(
            rate: Double(count) / Double(Self.now - start) * 1e9,
            microseconds: (Self.processor - cpu) / Double(count) * 1e6,
            writerMicroseconds: busiest / Double(count) * 1e6,
            half: sorted[sorted.count / 2] / 1_000, most: sorted[sorted.count * 99 / 100] / 1_000,
            byteCount: Double(Self.written - written) / Double(count))
    }

    /// Seconds of CPU that one other thread has had, the one that had most.
    private var busiest: Double {
        Self.others.map { thread, seconds in seconds - (others[thread] ?? 0) }.max() ?? 0
    }

    /// Seconds of CPU that each other thread has had, by its number.
    private static var others: [String: Double] {
        let (files, tasks) = (FileManager.default, "/proc/self/task")
        let own = (try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
        let threads = (try? files.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(into: [:]) { all, thread in
            let path = "\(tasks)/\(thread)/schedstat"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            let time = text.split(separator: " ").first.flatMap { Double($0) } ?? 0
            if !own.hasSuffix("/\(thread)") { all[thread] = time / 1e9 }
        }
    }

    /// Seconds of CPU that the process has had.
    static var processor: Double {
        var usage = rusage()
        unsafe getrusage(0, &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// The bytes that the process has given to `write(2)`.
    private static var written: Int {
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
        return line.flatMap { Int($0.dropFirst(7)) } ?? 0
    }
}

/// A folder of one round.
final class Place {
    let path: String

    init() throws { path = try Self.make() }

    static func make() throws -> String {
        let base = ProcessInfo.processInfo.environment["DIR"] ?? NSTemporaryDirectory()
        let path = "\(base)/journal-benchmark-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The entries of all: a head and a patch of 256 bytes.
enum Sample {
    static let head = Array(
        #"{"origin":"client","key":"8e03978e-40d5-4b5f-9d3e-2f6c1f0b7a55","action":{"type":"list/added","payload":{"text":"milk and bread and butter","count":3}}}"#
            .utf8)
    static let patch = Array(
        #"[{"op":"replace","path":"/items/3/name","value":"milk and bread and butter, and whatever else there is"}]"#
            .utf8)
    /// Of the benchmarks' application: one kilobyte.
    static let state: [UInt8] = {
        var bytes: [UInt8] = []
        try? StateEncoder().encode(BenchmarkApplication().initialState, into: &bytes)
        return bytes
    }()
}
