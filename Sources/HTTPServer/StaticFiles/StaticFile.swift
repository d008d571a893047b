internal import HTTPMessages
package import Sockets

/// One file as it is on the disk now, and what every answer about it says.
struct StaticFile: ~Copyable {
    /// Its descriptor, open for reading.
    let descriptor: Descriptor
    let status: FileStatus
    let name: String

    /// Gives the descriptor to whoever sends the content.
    consuming func takeDescriptor() -> Descriptor {
        descriptor
    }

    /// The opaque tag: changes with the content's time, size or file.
    var tag: [UInt8] {
        let parts = [status.modifiedSeconds, status.modifiedNanoseconds, status.size]
        let numbers = parts.map { String($0, radix: 36) } + [String(status.inode, radix: 36)]
        return [UInt8](numbers.joined(separator: "-").utf8)
    }

    /// The value of Content-Type.
    var contentType: StaticString {
        ContentType.ofFile(named: name)
    }

    /// The value of Cache-Control: for ever where the name carries a hash of the content, as in
    /// `app.3f9a2c1d.js`; otherwise to be asked for again each time.
    var cacheControl: String {
        Self.carriesHash(name) ? "public, max-age=31536000, immutable" : "no-cache"
    }

    /// Answers true where a part of the name, between dots or hyphens and not its end, is eight or
    /// more hexadecimal digits with at least one decimal digit among them.
    static func carriesHash(_ name: String) -> Bool {
        let parts = name.utf8.split { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard name.utf8.contains(UInt8(ascii: ".")) else { return false }
        return parts.dropLast().contains { part in
            part.count >= 8 && part.contains { (0x30...0x39).contains($0) }
                && part.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }

    /// Answers true where the client holds this content already (RFC 9110 §13.2.2).
    func isUnchanged(for head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        switch EntityTag.condition(.ifNoneMatch, of: head, in: bytes, current: tag) {
        case .matches: return true
        case .differs: return false
        case .malformed, nil: break
        }
        guard let since = head.value(.ifModifiedSince),
            let seconds = HTTPDate.parse(since.string(in: bytes))
        else { return false }
        return status.modifiedSeconds <= Int64(seconds)
    }

    /// Answers true where If-Match, compared strongly (RFC 9110 §13.1.1), or If-Unmodified-Since
    /// rules the request out (412).
    func failsPrecondition(of head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        let condition = EntityTag.condition(
            .ifMatch, of: head, in: bytes, current: tag, comparison: .strong)
        switch condition {
        case .matches: return false
        case .differs, .malformed: return true
        case nil: break
        }
        guard let since = head.value(.ifUnmodifiedSince),
            let seconds = HTTPDate.parse(since.string(in: bytes))
        else { return false }
        return status.modifiedSeconds > Int64(seconds)
    }

    /// The part that is asked for, as long as If-Range allows it (RFC 9110 §13.1.5): by the
    /// strong tag or the exact date.
    func range(for head: RequestHead, in bytes: Span<UInt8>) -> ByteRange {
        guard head.method == .get, let range = head.value(.range) else { return .whole }
        if let condition = head.value(.ifRange) {
            let text = condition.string(in: bytes)
            let isTag = text == "\"\(String(decoding: tag, as: UTF8.self))\""
            let isDate = HTTPDate.parse(text).map { Int64($0) == status.modifiedSeconds } ?? false
            guard isTag || isDate else { return .whole }
        }
        return ByteRange(range, in: bytes, length: Int(status.size))
    }
}

/// A directory whose files are served: opened once, for all loops.
package final class StaticDirectory: Sendable {
    let root: Descriptor
    let configuration: StaticFilesConfiguration

    /// Opens the directory. Throws when it cannot be opened.
    package init(_ configuration: StaticFilesConfiguration) throws(SystemError) {
        root = try SystemCalls().files.openDirectory(configuration.directory)
        self.configuration = configuration
    }
}

/// The fields of every answer about one file.
struct FileFields {
    let size: Int64
    let isCompressible: Bool
    private let tag: String
    private let contentType: String
    private let cacheControl: String
    private let lastModified: String
    private let securityLines: [UInt8]

    init(_ file: borrowing StaticFile, _ securityLines: [UInt8]) {
        size = file.status.size
        isCompressible = ContentType.isCompressible(file.contentType)
        tag = "\"\(String(decoding: file.tag, as: UTF8.self))\""
        contentType = file.contentType.description
        cacheControl = file.cacheControl
        lastModified = HTTPDate.format(secondsSince1970: Int(file.status.modifiedSeconds))
        self.securityLines = securityLines
    }

    /// Writes the fields that a 304 repeats (RFC 9110 §15.4.5).
    func writeValidators(_ writer: inout ResponseWriter, coding: String? = nil) {
        writer.field("ETag", coding == nil ? tag : "W/\(tag)")
        writer.field("Cache-Control", cacheControl)
        if isCompressible { writer.vary(by: "Accept-Encoding") }
    }

    /// All fields of an answer with content; the tag of coded content is weak.
    func write(_ writer: inout ResponseWriter, coding: String? = nil) {
        writer.field("Content-Type", contentType)
        writeValidators(&writer, coding: coding)
        writer.field("Last-Modified", lastModified)
        if let coding {
            writer.field("Content-Encoding", coding)
        } else {
            writer.field("Accept-Ranges", "bytes")
        }
        writer.lines(securityLines)
    }
}

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
