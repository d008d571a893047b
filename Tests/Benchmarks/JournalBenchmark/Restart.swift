import ClientWire
import Foundation
import JournalSQLite
import Journaling
import Redux
import Sockets
import Threads

/// `journal-benchmark fill DIRECTORY SESSIONS ENTRIES`, then `journal-benchmark restart DIRECTORY`: sessions
/// of 1 KB with three entries each, and one with many that have keys, left as a crash leaves them; and how
/// long it takes to have them again. `journal-benchmark sleep DIRECTORY SESSIONS SECONDS`: what so many take
/// that sleep.
enum Restart {
    private static let big = SessionName(mount: "/benchmark", id: "big")

    static func fill(_ place: String, sessions: Int, entries: Int) async throws {
        let journal = try SQLiteJournal(directory: "\(place)/journal")
        let names = (0..<sessions).map { SessionName(mount: "/benchmark", id: "s\($0)") }
        var leases: [Lease] = []
        for start in stride(from: 0, to: sessions, by: 1_000) {
            leases += try await withThrowingTaskGroup(of: Lease?.self) { group in
                for name in names[start..<min(start + 1_000, sessions)] {
                    group.addTask { try await journal.open(name, making: new)?.lease }
                }
                return try await group.reduce(into: []) { all, lease in
                    if let lease { all.append(lease) }
                }
            }
        }
        let filler = Filler(journal)
        for version in UInt64(0)..<3 {
            for lease in leases { filler.append(to: lease, behind: version, key: nil) }
        }
        if let lease = try await journal.open(big, making: new)?.lease {
            for version in 0..<UInt64(entries) {
                // A session takes 100,000 keys, a quarter of them of one person.
                let hasKey = version + 90_000 >= entries
                filler.append(to: lease, behind: version, key: hasKey ? "key-\(version)" : nil)
            }
        }
        filler.wait()
        // No close: what a crash leaves.
        exit(0)
    }

    private static var new: NewSession {
        NewSession(epoch: "k3f9x2ab", created: now, schema: 1) { Sample.state }
    }

    static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    /// Prints the time, and the CPU of this process, since the lap before.
    private struct Laps {
        private var (begun, cpu) = (Stopwatch.now, Stopwatch.processor)

        mutating func begin() { (begun, cpu) = (Stopwatch.now, Stopwatch.processor) }

        mutating func lap(_ what: String, _ count: Int = 1) {
            let time = Double(Stopwatch.now - begun) / 1e6 / Double(count)
            let cpu = (Stopwatch.processor - cpu) * 1e3 / Double(count)
            print(
                what.padding(toLength: 44, withPad: " ", startingAt: 0),
                String(format: "%.3f ms, CPU %.3f ms", time, cpu))
            begin()
        }
    }

    /// A server that serves from `DIRECTORY/journal`.
    private static func serve(_ directory: String, _ port: Int) throws -> Process {
        let (server, lines) = (Process(), Pipe())
        server.standardError = lines
        server.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        server.arguments = ["serve", "sqlite", "\(port)", "20", directory]
        try server.run()
        var log = ""
        while !log.contains("serving on") {
            let more = lines.fileHandleForReading.availableData
            if more.isEmpty { throw CocoaError(.executableLoad) }
            log += String(decoding: more, as: UTF8.self)
        }
        return server
    }

    private static func end(_ server: Process) {
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
    }

    /// What a client sees of a server that starts.
    private static func ask(_ directory: String) throws {
        let port = try Listener(host: "127.0.0.1", port: 0).port
        var laps = Laps()
        let server = try serve(directory, port)
        defer { end(server) }
        let connection = try BlockingConnection(port: port)
        func exchange(_ request: ClientRequest) throws {
            try connection.send(request.bytes(to: "localhost"))
            var answer: ClientAnswer?
            _ = try connection.receive { bytes in
                answer = try? ClientAnswer(inAll: bytes)
                return answer != nil
            }
            guard answer?.status == 200 else {
                throw CocoaError(
                    .fileReadUnknown,
                    userInfo: ["answer": String(decoding: answer?.body ?? [], as: UTF8.self)])
            }
        }
        try exchange(ClientRequest("GET", "\(path("s7"))/state"))
        laps.lap("server: from its start to the first answer")
        for number in 100..<1_100 {
            try exchange(ClientRequest("GET", "\(path("s\(number)"))/state"))
        }
        laps.lap("server: each further session", 1_000)
        try exchange(ClientRequest("GET", "\(path("big"))/state"))
        laps.lap("server: the one with many entries")
        let action = Array(#"{"type":"incremented","payload":{"by":1}}"#.utf8)
        for (number, what) in ["its first POST with a key", "its second"].enumerated() {
            try exchange(
                .posting(action, to: path("big"), fields: ["Idempotency-Key": "new-\(number)"]))
            laps.lap("server: \(what)")
        }
    }

    private static func path(_ id: String) -> String { "/benchmark/sessions/\(id)" }

    static func measure(_ place: String) async throws {
        try ask(place)
        let directory = "\(place)/journal"
        var laps = Laps()
        let journal = try SQLiteJournal(directory: directory)
        laps.lap("start after a crash")
        print("resident memory", residentByteCount(of: getpid()) >> 20, "MiB")
        let count = 1_000
        laps.begin()
        for _ in 0..<count {
            let name = SessionName(mount: "/benchmark", id: "s\(Int.random(in: 0..<count))")
            _ = try await journal.open(name, making: nil)
        }
        laps.lap("a session opened, the mean", count)
        guard let opened = try await journal.open(big, making: nil) else { return }
        laps.lap("the one with \(opened.document?.version ?? 0) entries")
        let keys = try await journal.keys(of: opened.lease, since: now + .seconds(-24 * 3_600))
        laps.lap("its \(keys.count) keys")
        await journal.close()
        laps.lap("close")
        _ = try SQLiteJournal(directory: directory)
        laps.lap("start after a stop")
    }

    private static func residentByteCount(of process: pid_t) -> Int {
        (numbers("/proc/\(process)/statm").dropFirst().first ?? 0) * 4_096
    }

    /// Of its threads, in ticks of 10 ms.
    private static func milliseconds(of process: pid_t) -> Int {
        numbers("/proc/\(process)/stat").dropFirst(11).prefix(2).reduce(0, +) * 10
    }

    /// What is no number in the first line, a name or a letter, is left out.
    private static func numbers(_ path: String) -> [Int] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split { $0.isWhitespace }.compactMap { Int($0) }
    }

    static func makeSleepers(_ count: Int, in journal: some Journal) async throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            try await withThrowingTaskGroup { group in
                for number in start..<min(start + 1_000, count) {
                    let name = SessionName(mount: "/benchmark", id: "s\(number)")
                    group.addTask {
                        guard let made = try await journal.open(name, making: new) else { return }
                        try await journal.keep(nil, of: made.lease, isAsleep: true)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    static func sleep(_ place: String, sessions: Int, seconds: Int) async throws {
        let journal = try SQLiteJournal(directory: "\(place)/journal")
        try await makeSleepers(sessions, in: journal)
        await journal.close()
        let alone = "\(place)/none"
        try FileManager.default.createDirectory(atPath: alone, withIntermediateDirectories: true)
        var resident: [Int] = []
        for directory in [alone, place] {
            let port = try Listener(host: "127.0.0.1", port: 0).port
            var laps = Laps()
            let server = try serve(directory, port)
            defer { end(server) }
            laps.lap("server: its start")
            let process = server.processIdentifier
            let before = milliseconds(of: process)
            let pause = directory == place ? seconds : 5
            try await ContinuousClock().sleep(for: .seconds(pause))
            let (middle, idle) = (milliseconds(of: process), 10)
            try await ContinuousClock().sleep(for: .seconds(idle))
            resident.append(residentByteCount(of: process))
            print(
                "CPU in \(pause) s \(middle - before) ms, then in \(idle) s",
                "\(milliseconds(of: process) - middle) ms; resident \(resident[resident.count - 1] >> 10) KiB"
            )
        }
        print("\(sessions) that sleep: \((resident[1] - resident[0]) >> 10) KiB")
    }
}

/// Appends without waiting, with so many under way at most.
private final class Filler: AppendReceiver {
    private let journal: SQLiteJournal
    private let underWay = Monitor(0)

    init(_ journal: SQLiteJournal) { self.journal = journal }

    func append(to lease: Lease, behind version: UInt64, key: String?) {
        underWay.wait { underWay -> Void? in
            guard underWay < 10_000 else { return nil }
            underWay += 1
        }
        let head = key.map {
            #"{"origin":"client","by":{"id":"ada-\#(version % 4)"},"key":"\#($0)","action":{"type":"a"}}"#
        }
        let entry = EncodedEntry(
            version: version + 1, at: Restart.now, head: head.map { Array($0.utf8) } ?? Sample.head,
            print: key == nil ? nil : UInt128(version), patch: Sample.patch)
        let batch = AppendBatch(
            lease: lease, expected: version, count: 1, receiver: self, ticket: version)
        let outcome = journal.append(batch, [entry])
        precondition(outcome == nil, "The journal says \(outcome.map { "\($0)" } ?? "").")
    }

    func appended(_ outcomes: [TicketOutcome]) {
        for (ticket, outcome) in outcomes {
            precondition(outcome == .kept, "The journal says \(outcome) of \(ticket).")
        }
        underWay.withLock { $0 -= outcomes.count }
        underWay.wakeAll()
    }

    func wait() { underWay.wait { $0 == 0 ? () : nil } }
}
