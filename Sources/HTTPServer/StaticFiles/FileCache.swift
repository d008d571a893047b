internal import Sockets

/// Small files in memory, plain and compressed, by path; all together bounded.
struct FileCache {
    private struct Entry {
        var tag: [UInt8]
        var plain: SharedBytes?
        var compressed: SharedBytes?

        var byteCount: Int {
            (plain?.count ?? 0) + (compressed?.count ?? 0)
        }
    }

    /// A file's content in one of its forms.
    enum Form {
        case plain, compressed
    }

    private let limit: Int
    private var entries: [String: Entry] = [:]
    private(set) var byteCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// The content of a file, if it is kept and still what the tag says.
    func content(of path: String, tag: [UInt8], _ form: Form) -> SharedBytes? {
        guard let entry = entries[path], entry.tag == tag else { return nil }
        return form == .plain ? entry.plain : entry.compressed
    }

    /// Lets go of all files.
    mutating func removeAll() {
        entries = [:]
        byteCount = 0
    }

    /// Keeps a file's content; others go where it would be too much.
    mutating func keep(_ content: SharedBytes, of path: String, tag: [UInt8], _ form: Form) {
        guard content.count <= limit else { return }
        var entry = Entry(tag: tag)
        if let old = entries.removeValue(forKey: path) {
            byteCount -= old.byteCount
            if old.tag == tag { entry = old }
        }
        switch form {
        case .plain: entry.plain = content
        case .compressed: entry.compressed = content
        }
        while byteCount + entry.byteCount > limit, let other = entries.popFirst() {
            byteCount -= other.value.byteCount
        }
        byteCount += entry.byteCount
        entries[path] = entry
    }
}
