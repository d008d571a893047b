import FaultPlans
import Glibc
@testable import Sockets
import Testing

/// Files that are replaced as a whole, or not at all.
@Suite struct FileWritingTests {
    private func content(_ name: String, in folder: Folder) throws -> String {
        let system = SystemCalls()
        let directory = try system.files.openDirectory(folder.path)
        let file = try system.files.open(name, beneath: directory)
        return String(
            decoding: try system.files.read(file, offset: 0, count: 1_000_000), as: UTF8.self)
    }

    @Test func `a file is made, replaced and removed, and is its user's alone`() throws {
        let folder = try Folder()
        let system = SystemCalls()
        let directory = try system.files.openDirectory(folder.path)
        try system.files.replaceFile("a", in: directory, with: Array("one".utf8).span)
        try system.files.replaceFile("a", in: directory, with: Array("other".utf8).span)
        #expect(try content("a", in: folder) == "other")
        var status = stat()
        #expect(unsafe stat("\(folder.path)/a", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(folder.names == ["a"])
        #expect(try system.files.removeFile("a", in: directory))
        #expect(try !system.files.removeFile("a", in: directory))
        #expect(folder.names.isEmpty)
    }

    @Test func `what a crash left behind is taken away`() throws {
        let folder = try Folder()
        let system = SystemCalls()
        let directory = try system.files.openDirectory(folder.path)
        unsafe symlink("/etc/passwd", "\(folder.path)/.new-a")
        try system.files.replaceFile("a", in: directory, with: Array("one".utf8).span)
        #expect(folder.names == ["a"])
        #expect(try content("a", in: folder) == "one")
    }

    @Test(arguments: [
        SystemCall.open, .writeFile, .synchronize, .rename, .unlink,
    ])
    func `whatever fails, the old content stands and nothing is left behind`(
        call: SystemCall
    ) throws {
        var number = 0
        while true {
            number += 1
            let folder = try Folder()
            let plain = SystemCalls()
            let directory = try plain.files.openDirectory(folder.path)
            try plain.files.replaceFile("a", in: directory, with: Array("old".utf8).span)
            let plan = FaultPlan(.failure(.noSpace), at: number, of: call)
            let system = SystemCalls(faults: plan.next)
            do {
                try system.files.replaceFile("a", in: directory, with: Array("new".utf8).span)
                #expect(try content("a", in: folder) == "new")
                guard plan.hitCount > 0 else { return }
            } catch let error as SystemError {
                #expect(error.call == call)
                let isRenamed = call == .synchronize && number == 2
                #expect(try content("a", in: folder) == (isRenamed ? "new" : "old"))
            }
            #expect(folder.names == ["a"])
        }
    }

    @Test func `short writes are gone on with`() throws {
        let folder = try Folder()
        let plan = FaultPlan { call, _ in call == .writeFile ? .short(3) : nil }
        let system = SystemCalls(faults: plan.next)
        let directory = try system.files.openDirectory(folder.path)
        try system.files.replaceFile("a", in: directory, with: Array("0123456789".utf8).span)
        #expect(try content("a", in: folder) == "0123456789")
    }

    @Test(arguments: ["", ".", "..", "a/b", "/a", "a\0b"])
    func `a name that is no component is refused`(name: String) throws {
        let folder = try Folder()
        let system = SystemCalls()
        let directory = try system.files.openDirectory(folder.path)
        #expect(throws: SystemError.self) {
            try system.files.replaceFile(name, in: directory, with: [UInt8]().span)
        }
        #expect(throws: SystemError.self) { try system.files.removeFile(name, in: directory) }
        #expect(folder.names.isEmpty)
    }
}
