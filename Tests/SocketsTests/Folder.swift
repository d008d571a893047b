import Glibc
@testable import Sockets

/// A directory of one test, removed with what is in it, one level deep.
final class Folder {
    let path: String

    init() throws {
        var template = Array("/tmp/statecast-writing-XXXXXX".utf8CString)
        _ = unsafe mkdtemp(&template)
        path = String(cText: template)
    }

    /// What is in it, hidden files too.
    var names: [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    deinit {
        for name in names { unsafe remove("\(path)/\(name)") }
        unsafe rmdir(path)
    }
}
