import FaultPlans
import Glibc
import Sockets
import StatecastTesting
import Testing

@testable import Statecast

/// Values in files, and an application that keeps a part of its state in them.
@Suite("Saved files", .onBothJournals)
struct SavedFilesTests {
    private struct Profile: Codable, Equatable, Sendable {
        var name: String
    }

    /// A directory that does not exist yet, below the system's temporary one.
    private func newDirectory() -> String {
        "/tmp/statecast-saved-\(UInt64.random(in: .min ... .max))"
    }

    private func remove(_ directory: String, _ names: [String]) throws {
        let system = SystemCalls()
        let descriptor = try system.files.openDirectory(directory)
        for name in names { #expect(try system.files.removeFile(name, in: descriptor), "\(name)") }
        #expect(unsafe rmdir(directory) == 0)
    }

    @Test(arguments: [
        ("demo", "demo.saved"), ("a~b_c-d.e", "a~b_c-d.e.saved"), (".hidden", "%2Ehidden.saved"),
        ("..", "%2E..saved"), ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.saved"),
        ("ä\n%", "%C3%A4%0A%25.saved"),
    ])
    func `a value is found again under its key, whatever that is`(
        key: String, file: String
    ) async throws {
        let directory = newDirectory()
        let profile = Profile(name: "Ada")
        try await SavedValues<Profile>.files(in: directory).save(profile, under: key)
        let again = try SavedValues<Profile>.files(in: directory)
        #expect(try await again.load(key) == profile)
        #expect(try await again.load("other") == nil)
        try remove(directory, [file])
    }

    @Test func `a deleted value is gone, and may be deleted again`() async throws {
        let directory = newDirectory()
        let values = try SavedValues<Profile>.files(in: directory)
        try await values.save(Profile(name: "Ada"), under: "demo")
        try await values.delete("demo")
        try await values.delete("demo")
        #expect(try await values.load("demo") == nil)
        try remove(directory, [])
    }

    @Test func `a value above the limit is refused, and the old one stays`() async throws {
        let directory = newDirectory()
        let values = try SavedValues<Profile>.files(in: directory, limit: 20)
        try await values.save(Profile(name: "Ada"), under: "demo")
        await #expect(
            throws: SavedFileError.tooLarge(key: "demo", byteCount: 23, limit: 20)
        ) {
            try await values.save(Profile(name: "Ada Lovelace"), under: "demo")
        }
        #expect(try await values.load("demo") == Profile(name: "Ada"))
        try remove(directory, ["demo.saved"])
    }

    @Test func `a file above the limit is not read`() async throws {
        let directory = newDirectory()
        let large = try SavedValues<Profile>.files(in: directory)
        try await large.save(Profile(name: "Ada Lovelace"), under: "demo")
        let small = try SavedValues<Profile>.files(in: directory, limit: 20)
        await #expect(
            throws: SavedFileError.tooLarge(key: "demo", byteCount: 23, limit: 20)
        ) {
            _ = try await small.load("demo")
        }
        try remove(directory, ["demo.saved"])
    }

    @Test func `a file of something else is an error, not a value`() async throws {
        let directory = newDirectory()
        let other = try SavedValues<[Int]>.files(in: directory)
        try await other.save([1, 2], under: "demo")
        let values = try SavedValues<Profile>.files(in: directory)
        await #expect(throws: DecodingFailure.self) { _ = try await values.load("demo") }
        try remove(directory, ["demo.saved"])
    }

    @Test func `a key that is longer than a file's name can be is refused`() async throws {
        let directory = newDirectory()
        let values = try SavedValues<Profile>.files(in: directory)
        let key = String(repeating: "k", count: 245)
        await #expect(throws: SavedFileError.keyTooLong(byteCount: 245)) {
            try await values.save(Profile(name: "Ada"), under: key)
        }
        try remove(directory, [])
    }

    @Test func `a directory that cannot be made is told at once`() {
        #expect(throws: PrivateDirectoryError.self) {
            _ = try SavedValues<Profile>.files(in: "/dev/null/saved")
        }
    }

    @Test func `a directory that others may enter is refused`() throws {
        #expect(throws: PrivateDirectoryError.self) {
            _ = try SavedValues<Profile>.files(in: "/tmp")
        }
    }

    @Test func `a full directory takes no other file, but new values of those that it has`()
        async throws
    {
        let directory = newDirectory()
        let values = try SavedValues<Profile>.files(in: directory, fileLimit: 2)
        try await values.save(Profile(name: "Ada"), under: "a")
        try await values.save(Profile(name: "Bo"), under: "b")
        await #expect(throws: SavedFileError.tooManyFiles(limit: 2)) {
            try await values.save(Profile(name: "Cy"), under: "c")
        }
        try await values.save(Profile(name: "Ada Lovelace"), under: "a")
        #expect(try await values.load("a") == Profile(name: "Ada Lovelace"))
        #expect(try await values.load("c") == nil)

        let again = try SavedValues<Profile>.files(in: directory, fileLimit: 2)
        await #expect(throws: SavedFileError.tooManyFiles(limit: 2)) {
            try await again.save(Profile(name: "Cy"), under: "c")
        }
        try await again.delete("none")
        try await again.delete("b")
        try await again.save(Profile(name: "Cy"), under: "c")
        try remove(directory, ["a.saved", "c.saved"])
    }

    @Test func `a call above the limit is refused while the others wait for the disk`()
        async throws
    {
        let directory = newDirectory()
        let files = try SavedFiles(directory, 1_000, fileLimit: 10, callLimit: 1)
        let door = Door()
        let first = Task { try await files.perform { _ in door.pass() } }
        try await TestServer.runBlocking { door.waitForArrival() }
        await #expect(throws: SavedFileError.tooManyCalls(limit: 1)) {
            try await files.perform { _ in }
        }
        door.open()
        try await first.value
        try await files.perform { _ in }
        try remove(directory, [])
    }

    @Test func `a deletion has ended when the disk says so, also where it had to be repeated`()
        async throws
    {
        let directory = newDirectory()
        // A file that is written waits twice, for itself and for its directory.
        let plan = FaultPlan(.failure(.inputOutput), at: 3, of: .synchronize)
        let files = try SavedFiles(
            directory, 1_000, fileLimit: 1, callLimit: 10, faults: plan.next)
        try await files.perform { try $0.write([1], "demo") }
        await #expect(throws: SystemError(.synchronize, .inputOutput)) {
            try await files.perform { try $0.remove("demo") }
        }
        try await files.perform { try $0.remove("demo") }
        #expect(plan.count(of: .synchronize) == 4)
        try await files.perform { try $0.remove("demo") }
        #expect(plan.count(of: .synchronize) == 4)
        try await files.perform { try $0.write([1], "other") }
        try remove(directory, ["other.saved"])
    }

    @Test func `files without a thread to wait for the disk are refused`() throws {
        let plan = FaultPlan(.failure(.wouldBlock), at: 1, of: .startThread)
        #expect(throws: SystemError(.startThread, .wouldBlock, subject: "blocking")) {
            _ = try SavedFiles(
                newDirectory(), 1_000, fileLimit: 1, callLimit: 10, faults: plan.next)
        }
    }

    /// Blocks the thread that comes to it until it is opened.
    private final class Door: Sendable {
        private enum State {
            case untouched
            case arrived
            case open
        }

        private let state = Monitor(State.untouched)

        func pass() {
            state.withLock { $0 = .arrived }
            state.wakeAll()
            state.wait { $0 == .open ? () : nil }
        }

        func waitForArrival() {
            state.wait { $0 == .untouched ? nil : () }
        }

        func open() {
            state.withLock { $0 = .open }
            state.wakeAll()
        }
    }
}
