import FaultPlans
import Glibc
@testable import Sockets
import Testing

/// Directories that only the process's user may enter, and what is in them.
@Suite struct DirectoryTests {
    private func mode(of path: String) -> mode_t {
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    @Test func `a private directory is made once, for its user alone`() throws {
        let folder = try Folder()
        let path = "\(folder.path)/inner"
        for spelling in [path, path, path + "/", path + "//"] {
            let directory = try SystemCalls().files.openPrivateDirectory(spelling)
            #expect(try SystemCalls().files.names(in: directory).isEmpty)
        }
        #expect(mode(of: path) == 0o700)
    }

    @Test(arguments: [0o755, 0o777, 0o701, 0o770, 0o1777] as [mode_t])
    func `a directory that others may enter is refused, with its owner and mode`(
        mode: mode_t
    ) throws {
        let folder = try Folder()
        #expect(unsafe chmod(folder.path, mode) == 0)
        let error = #expect(throws: PrivateDirectoryError.self) {
            _ = try SystemCalls().files.openPrivateDirectory(folder.path)
        }
        let user = geteuid()
        #expect(
            error == .notPrivate(path: folder.path, owner: user, mode: mode, user: user))
        let text = error?.description ?? ""
        #expect(text.contains("user \(user) and has mode 0\(String(mode, radix: 8))"))
        #expect(self.mode(of: folder.path) == mode)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give a directory away"))
    func `a directory of another user is refused`() throws {
        let folder = try Folder()
        #expect(unsafe chown(folder.path, 12_345, gid_t.max) == 0)
        #expect(
            throws: PrivateDirectoryError.notPrivate(
                path: folder.path, owner: 12_345, mode: 0o700, user: 0)
        ) {
            _ = try SystemCalls().files.openPrivateDirectory(folder.path)
        }
    }

    @Test(arguments: ["", "/", "//"])
    func `a symbolic link is no directory, wherever it leads`(ending: String) throws {
        let folder = try Folder()
        for target in ["inner", "nothing"] {
            let path = "\(folder.path)/link-to-\(target)"
            #expect(unsafe symlink("\(folder.path)/\(target)", path) == 0)
            _ = try SystemCalls().files.openPrivateDirectory("\(folder.path)/inner")
            #expect(throws: PrivateDirectoryError.symbolicLink(path: path + ending)) {
                _ = try SystemCalls().files.openPrivateDirectory(path + ending)
            }
        }
        #expect(folder.names == ["inner", "link-to-inner", "link-to-nothing"])
    }

    @Test func `a file, and a directory below nothing, are told by the system's error`() throws {
        let folder = try Folder()
        let directory = try SystemCalls().files.openDirectory(folder.path)
        try SystemCalls().files.replaceFile("a", in: directory, with: [UInt8]().span)
        for (name, code) in [("a", Errno.notDirectory), ("deep/down", .noSuchFile)] {
            let path = "\(folder.path)/\(name)"
            let error = #expect(throws: PrivateDirectoryError.self) {
                _ = try SystemCalls().files.openPrivateDirectory(path)
            }
            guard case .failed(let failure) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failure.code == code)
            #expect(failure.subject == path)
        }
    }

    @Test(arguments: [SystemCall.makeDirectory, .open, .fileStatus])
    func `whatever call fails, it is named`(call: SystemCall) throws {
        let folder = try Folder()
        var number = 0
        while true {
            number += 1
            let plan = FaultPlan(.failure(.inputOutput), at: number, of: call)
            do throws(PrivateDirectoryError) {
                _ = try SystemCalls(faults: plan.next).files.openPrivateDirectory(folder.path)
                #expect(plan.hitCount == 0)
                return #expect(number > 1)
            } catch {
                let failure = SystemError(call, .inputOutput, subject: folder.path)
                #expect(error == .failed(failure))
            }
        }
    }

    @Test func `the names in a directory are listed, also of links and hidden files`() throws {
        let folder = try Folder()
        let system = SystemCalls()
        let directory = try system.files.openDirectory(folder.path)
        #expect(try system.files.names(in: directory).isEmpty)
        for name in ["a", ".b"] {
            try system.files.replaceFile(name, in: directory, with: [UInt8]().span)
        }
        #expect(unsafe symlink("nowhere", "\(folder.path)/c") == 0)
        #expect(try system.files.names(in: directory).sorted() == [".b", "a", "c"])
        for name in ["a", ".b", "c"] { #expect(try system.files.hasEntry(name, in: directory)) }
        #expect(try !system.files.hasEntry("d", in: directory))
    }

    @Test func `a listing that fails is an error, not a short list`() throws {
        let folder = try Folder()
        let directory = try SystemCalls().files.openDirectory(folder.path)
        for name in ["a", "b"] {
            try SystemCalls().files.replaceFile(name, in: directory, with: [UInt8]().span)
        }
        let plan = FaultPlan(.failure(.inputOutput), at: 2, of: .readDirectory)
        #expect(throws: SystemError(.readDirectory, .inputOutput)) {
            _ = try SystemCalls(faults: plan.next).files.names(in: directory)
        }
    }
}
