import Bytes
import Glibc
@testable import Sockets
import Testing
import Threads

@Suite struct `A folder whose files people edit` {
    private let folder: Folder
    private let edited: EditedFolder

    init() throws {
        folder = try Folder()
        edited = try EditedFolder(folder.path)
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Opens a file for writing, and empties it.
    private func open(_ name: String) -> Int32 {
        unsafe Glibc.open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    }

    private func edit(_ name: String, _ text: String) {
        let file = open(name)
        _ = unsafe Glibc.write(file, text, text.utf8.count)
        Glibc.close(file)
    }

    private func text(_ name: String) throws -> String {
        let file = try #require(try edited.read(name, limit: 1000))
        return String(decoding: file.bytes, as: UTF8.self)
    }

    private func replace(
        _ name: String, by text: String, limit: Int = 1000, makes: Bool = false
    ) throws -> Bool {
        try edited.replace(name, by: Array(text.utf8), limit: limit, makes: makes) {
            $0.isAsWritten
        }
    }

    @Test func `gets another text where a file stands as it was written`() throws {
        #expect(try replace("a", by: "one", makes: true))
        #expect(try replace("a", by: "two"))
        #expect(try text("a") == "two")
        #expect(try EditedFolder(folder.path).read("a", limit: 3)?.isAsWritten == true)
        var status = stat()
        #expect(unsafe stat(path("a"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try edited.names(limit: 10).sorted() == [".", "..", "a"])
    }

    @Test func `keeps every edit`() throws {
        #expect(try replace("a", by: "one", makes: true))
        edit("a", "mine")
        #expect(try edited.read("a", limit: 1000)?.isAsWritten == false)
        #expect(try !replace("a", by: "two", makes: true))
        #expect(try text("a") == "mine")
        #expect(try !replace("a", by: "two", limit: 3))
        #expect(try !replace("missing", by: "two"))
        #expect(folder.names == ["a"])
    }

    @Test(arguments: [["mine"], ["mine", "newer"]])
    func `keeps an edit that comes while the file is written over`(edits: [String]) throws {
        #expect(try replace("a", by: "one", makes: true))
        var rest = edits[...]
        let isReplaced = try edited.replace("a", by: Array("two".utf8), limit: 1000) { file in
            if let next = rest.popFirst() { edit("a", next) }
            return file.isAsWritten
        }
        #expect(!isReplaced && rest.isEmpty)
        #expect(try text("a") == edits.last)
        #expect(folder.names == ["a"])
    }

    @Test func `leaves a file alone that an editor has emptied and not written yet`() throws {
        #expect(try replace("a", by: "one", makes: true))
        let file = open("a")
        #expect(try edited.read("a", limit: 1000) == nil)
        #expect(try !edited.replace("a", by: [], limit: 1000) { _ in true })
        _ = unsafe Glibc.write(file, "mine", 4)
        Glibc.close(file)
        #expect(try text("a") == "mine")
        #expect(folder.names == ["a"])
    }

    @Test func `leaves nothing behind where a file cannot be exchanged or leased`() throws {
        edit(".statecast-0123", "left")
        edit(".vimrc", "")
        try edited.begin()
        #expect(folder.names == [".vimrc"])
        for (call, code) in [(SystemCall.rename, Errno.invalidArgument), (.lease, .accessDenied)] {
            let other = try EditedFolder(
                folder.path, system: SystemCalls { $0 == call ? .failure(code) : nil })
            let error = #expect(throws: SystemError.self) { try other.begin() }
            #expect(error?.code == code)
            edit(".vimrc", "")
            _ = try? other.replace(".vimrc", by: [], limit: 10) { _ in true }
            #expect(folder.names == [".vimrc"])
        }
    }

    @Test func `follows no link, and reads nothing but files of a bounded size`() throws {
        unsafe symlink("/etc/passwd", path("link"))
        unsafe mkfifo(path("pipe"), 0o600)
        edit("large", "12345")
        for (name, code) in [
            ("link", Errno.symbolicLink), ("pipe", .invalidArgument), ("large", .tooLarge),
            ("missing", .noSuchFile),
        ] {
            let error = #expect(throws: SystemError.self) { try edited.read(name, limit: 4) }
            #expect(error?.code == code)
        }
        unsafe symlink(folder.path, path("folder"))
        let error = #expect(throws: SystemError.self) { try EditedFolder(path("folder")) }
        #expect([.notDirectory, .symbolicLink].contains(error?.code))
    }

    @Test func `says whether it is still at its path`() throws {
        let inner = try EditedFolder(path("inner"))
        #expect(inner.isThere)
        unsafe rename(path("inner"), path("other"))
        #expect(!inner.isThere)
        unsafe mkdir(path("inner"), 0o700)
        #expect(!inner.isThere)
    }

    @Test func `tells of what is written, moved in and removed, and of no reading`() throws {
        let watch = try FolderWatch([edited])
        func next() -> Set<String> { Set((watch.wait(until: .never) ?? []).map(\.name)) }
        edit("a", "one")
        #expect(next() == ["a"])
        _ = try text("a")
        unsafe rename(path("a"), path("b"))
        #expect(next() == ["a", "b"])
        edited.remove("b")
        #expect(next() == ["b"])
        #expect(watch.wait(until: .read())?.isEmpty == true)
        watch.ring()
        #expect(next().isEmpty)
        unsafe rename(folder.path, "\(folder.path)-moved")
        #expect(next() == [""])
        unsafe rename("\(folder.path)-moved", folder.path)
    }
}
