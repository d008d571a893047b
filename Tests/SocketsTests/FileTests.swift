import FaultPlans
import Glibc
@testable import Sockets
import Testing

@Suite struct FileTests {
    private let system = SystemCalls()

    /// A directory with `page.html`, `inside` → page.html, `outside` → /etc/passwd, `folder/deep`,
    /// `up` → .., `loop` → loop and a pipe; removed at the end.
    private final class Tree {
        let path: String

        init() throws {
            var template = Array("/tmp/statecast-files-XXXXXX".utf8CString)
            _ = unsafe mkdtemp(&template)
            path = String(cText: template)
            for (name, content) in [("page.html", "0123456789"), ("empty", "")] {
                let file = unsafe fopen("\(path)/\(name)", "w")
                if let file = unsafe file {
                    unsafe fputs(content, file)
                    unsafe fclose(file)
                }
            }
            unsafe mkdir("\(path)/folder", 0o755)
            unsafe symlink("../page.html", "\(path)/folder/deep")
            unsafe symlink("page.html", "\(path)/inside")
            unsafe symlink("/etc/passwd", "\(path)/outside")
            unsafe symlink("..", "\(path)/up")
            unsafe symlink("loop", "\(path)/loop")
            unsafe mkfifo("\(path)/pipe", 0o644)
        }

        deinit {
            for name in ["page.html", "empty", "inside", "outside", "up", "loop", "pipe"] {
                unsafe unlink("\(path)/\(name)")
            }
            unsafe unlink("\(path)/folder/deep")
            unsafe rmdir("\(path)/folder")
            unsafe rmdir(path)
        }
    }

    @Test(arguments: ["page.html", "inside", "./page.html", "folder/../page.html", "folder/deep"])
    func `a file beneath the directory is opened, through links that stay in it`(
        path: String
    ) throws {
        let tree = try Tree()
        let directory = try system.files.openDirectory(tree.path)
        let file = try system.files.open(path, beneath: directory)
        let status = try system.files.status(of: file)
        #expect(status.isRegular)
        #expect(status.size == 10)
        #expect(status.modifiedSeconds > 1_700_000_000)
        #expect(try system.files.read(file, offset: 3, count: 4) == Array("3456".utf8))
        #expect(try system.files.read(file, offset: 8, count: 100) == Array("89".utf8))
        #expect(try system.files.read(file, offset: 99, count: 1).isEmpty)
    }

    @Test(arguments: [
        ("..", Errno.crossesBoundary), ("../", .crossesBoundary), ("/etc/passwd", .crossesBoundary),
        ("folder/../../etc/passwd", .crossesBoundary), ("outside", .crossesBoundary),
        ("up/x", .crossesBoundary), ("missing", .noSuchFile), ("page.html/x", .notDirectory),
        ("loop", .symbolicLink), ("page\0.html", .noSuchFile), ("", .noSuchFile),
    ])
    func `a path that leaves the directory, or leads nowhere, is refused`(
        path: String, code: Errno
    ) throws {
        let tree = try Tree()
        let directory = try system.files.openDirectory(tree.path)
        let error = #expect(throws: SystemError.self) {
            _ = try system.files.open(path, beneath: directory)
        }
        #expect(error?.code == code)
    }

    @Test(arguments: [
        ("page.html", Errno?.none), ("./page.html", .none), ("folder", .none), ("", .none),
        ("..", .crossesBoundary), ("/etc/passwd", .crossesBoundary),
        ("folder/../page.html", .crossesBoundary), ("inside", .symbolicLink),
        ("up/x", .notDirectory), ("missing", .noSuchFile),
    ])
    func `a kernel without openat2 is as strict, and follows no link`(
        path: String, code: Errno?
    ) throws {
        let tree = try Tree()
        let plan = FaultPlan(.failure(.notSupportedByKernel), at: 1, of: .open)
        let old = SystemCalls(faults: plan.next)
        let directory = try system.files.openDirectory(tree.path)
        do {
            let file = try old.files.open(path, beneath: directory)
            #expect(code == nil)
            let status = try system.files.status(of: file)
            #expect(status.isRegular || status.isDirectory)
        } catch {
            #expect(error.code == code)
        }
        #expect(plan.hitCount == 1)
    }

    @Test func `a pipe and a directory are told apart from files, without waiting`() throws {
        let tree = try Tree()
        let directory = try system.files.openDirectory(tree.path)
        let pipe = try system.files.open("pipe", beneath: directory)
        #expect(try system.files.status(of: pipe).isRegular == false)
        let folder = try system.files.open("folder", beneath: directory)
        #expect(try system.files.status(of: folder).isDirectory)
    }

    @Test func `a file is sent without passing through the process`() throws {
        let tree = try Tree()
        let directory = try system.files.openDirectory(tree.path)
        let file = try system.files.open("page.html", beneath: directory)
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let client = try BlockingConnection(port: listener.port)
        guard case .accepted(let socket, _) = listener.accept(system) else {
            Issue.record("nobody was accepted")
            return
        }
        let plan = FaultPlan { _, number in number == 2 ? .short(2) : nil }
        let faulty = SystemCalls(faults: plan.next)
        var offset: Int64 = 1
        #expect(faulty.sendFile(file, offset: &offset, count: 3, to: socket) == .bytes(3))
        #expect(offset == 4)
        #expect(faulty.sendFile(file, offset: &offset, count: 99, to: socket) == .bytes(2))
        #expect(faulty.sendFile(file, offset: &offset, count: 99, to: socket) == .bytes(4))
        #expect(offset == 10)
        #expect(faulty.sendFile(file, offset: &offset, count: 99, to: socket) == .closed)
        #expect(try client.receive { $0.count >= 9 } == Array("123456789".utf8))
    }
}
