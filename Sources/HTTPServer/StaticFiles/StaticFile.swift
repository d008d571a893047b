internal import Bytes
internal import Gzip
internal import HTTPMessages
package import Sockets

/// Files that are part of the program, by their paths: `client/session.js`.
package struct CompiledFiles: Sendable {
    let numbers: [String: Int]
    let read: @Sendable (_ number: Int) -> [UInt8]

    /// - Parameter read: returns the content of a file by its place among the paths.
    package init(paths: [String] = [], _ read: @escaping @Sendable (_ number: Int) -> [UInt8]) {
        numbers = Dictionary(uniqueKeysWithValues: paths.enumerated().map { ($1, $0) })
        self.read = read
    }
}

/// A text that is part of the program.
struct CompiledFile {
    let content: SharedBytes
    /// The content in gzip.
    let coded: SharedBytes
    /// The opaque tag: changes with the content, and with nothing else.
    let tag: [UInt8]

    init(_ bytes: [UInt8]) {
        content = SharedBytes(bytes)
        let coded = gzip(bytes.span)
        self.coded = SharedBytes(coded)
        // The sum of the content and its size (RFC 1952 §2.3.1).
        tag = coded.suffix(8).flatMap { [Hexadecimal.digit($0 >> 4), Hexadecimal.digit($0 & 15)] }
    }
}

/// What every answer about a file says, as it is on the disk now or in the program.
struct StaticFile {
    /// From the root of the files that are served.
    let path: String
    let size: Int64
    /// When its content changed last, in seconds since 1970; nil where that is not known.
    let modifiedSeconds: Int64?
    /// The opaque tag: changes with the content's time, size or file.
    let tag: [UInt8]
    /// Nil for a file on the disk.
    let content: SharedBytes?
    private let contentType: String
    private let securityLines: [UInt8]

    init(at path: String, _ status: FileStatus, _ securityLines: [UInt8]) {
        let parts = [status.modifiedSeconds, status.modifiedNanoseconds, status.size]
        let numbers = parts.map { String($0, radix: 36) } + [String(status.inode, radix: 36)]
        self.path = path
        size = status.size
        modifiedSeconds = status.modifiedSeconds
        tag = [UInt8](numbers.joined(separator: "-").utf8)
        content = nil
        contentType = Self.contentType(ofFileNamed: path)
        self.securityLines = securityLines
    }

    init(at path: String, _ file: CompiledFile, _ securityLines: [UInt8]) {
        self.path = path
        size = Int64(file.content.count)
        modifiedSeconds = nil
        tag = file.tag
        content = file.content
        contentType = Self.contentType(ofFileNamed: path)
        self.securityLines = securityLines
    }

    /// Compressing pays: for text, and for types that are text underneath.
    var isCompressible: Bool {
        contentType.hasPrefix("text/") || contentType.hasSuffix("json")
            || contentType.hasSuffix("xml") || contentType.contains("charset")
            || contentType == "application/wasm"
    }

    private var quotedTag: String { "\"\(String(decoding: tag, as: UTF8.self))\"" }

    /// Answers true where a part of the name, between dots or hyphens and not its end, is eight or
    /// more hexadecimal digits with at least one decimal digit among them: `app.3f9a2c1d.js`.
    static func carriesHash(_ name: some StringProtocol) -> Bool {
        let parts = name.utf8.split { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard name.utf8.contains(UInt8(ascii: ".")) else { return false }
        return parts.dropLast().contains { part in
            part.count >= 8 && part.contains { (0x30...0x39).contains($0) }
                && part.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }

    // MARK: Conditions

    /// Answers true where the client holds this content already (RFC 9110 §13.2.2).
    func isUnchanged(for head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        switch EntityTag.condition(.ifNoneMatch, of: head, in: bytes, current: tag) {
        case .matches: true
        case .differs: false
        case .malformed, nil: hasChanged(since: .ifModifiedSince, head, in: bytes) == false
        }
    }

    /// Answers true where If-Match, compared strongly (RFC 9110 §13.1.1), or If-Unmodified-Since
    /// rules the request out (412).
    func failsPrecondition(of head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        let condition = EntityTag.condition(
            .ifMatch, of: head, in: bytes, current: tag, isStrong: true)
        guard condition == nil else { return condition != .matches }
        return hasChanged(since: .ifUnmodifiedSince, head, in: bytes) == true
    }

    /// Nil where the field names no date, or the file's is not known.
    private func hasChanged(
        since field: KnownField, _ head: RequestHead, in bytes: Span<UInt8>
    ) -> Bool? {
        guard let modifiedSeconds, let value = head.value(field),
            let date = HTTPDate.parse(value.string(in: bytes))
        else { return nil }
        return modifiedSeconds > Int64(date)
    }

    /// The part that is asked for, as long as If-Range allows it (RFC 9110 §13.1.5): by the
    /// strong tag or the exact date. A file of the program is small, and sent whole.
    func range(for head: RequestHead, in bytes: Span<UInt8>) -> ByteRange {
        guard head.method == .get, content == nil, let range = head.value(.range) else {
            return .whole
        }
        if let condition = head.value(.ifRange)?.string(in: bytes), condition != quotedTag {
            let date = HTTPDate.parse(condition).map { Int64($0) }
            guard date != nil, date == modifiedSeconds else { return .whole }
        }
        return ByteRange(range, in: bytes, length: Int(size))
    }

    // MARK: Fields

    /// Writes the fields that a 304 repeats (RFC 9110 §15.4.5). A file is to be asked for again each
    /// time, unless its name carries a hash of its content.
    func writeValidators(_ writer: inout ResponseWriter, coding: String? = nil) {
        writer.field("ETag", coding == nil ? quotedTag : "W/\(quotedTag)")
        let name = path.split(separator: "/").last ?? ""
        let isForEver = Self.carriesHash(name)
        writer.field(
            "Cache-Control", isForEver ? "public, max-age=31536000, immutable" : "no-cache")
        if isCompressible { writer.vary(by: "Accept-Encoding") }
    }

    /// All fields of an answer with content; the tag of coded content is weak.
    func write(_ writer: inout ResponseWriter, coding: String? = nil) {
        writer.field("Content-Type", contentType)
        writeValidators(&writer, coding: coding)
        if let modifiedSeconds {
            writer.field("Last-Modified", HTTPDate.format(secondsSince1970: Int(modifiedSeconds)))
        }
        if let coding {
            writer.field("Content-Encoding", coding)
        } else if content == nil {
            writer.field("Accept-Ranges", "bytes")
        }
        writer.lines(securityLines)
    }
}

/// A directory whose files are served: opened once, for all loops. Nothing outside is served, also
/// not by way of a symbolic link.
package final class StaticDirectory: Sendable {
    let root: Descriptor
    /// The pages' Content-Security-Policy.
    let policy: String

    /// All from our own origin, nothing inline, no frames.
    package static let strictPolicy =
        "default-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; "
        + "base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

    /// Opens the directory at a path. Throws when it cannot be opened.
    ///
    /// - Parameter policy: the value of a field.
    package init(_ path: String, policy: String = strictPolicy) throws(SystemError) {
        root = try SystemCalls().files.openDirectory(path)
        self.policy = policy
    }
}

/// The content of small files in memory, and its coded forms, by names; all together bounded.
struct FileCache {
    private let limit: Int
    private var entries: [String: (tag: [UInt8], content: SharedBytes)] = [:]
    private(set) var byteCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// The content of this name, if it is kept and still what the tag says.
    func content(of name: String, tag: [UInt8]) -> SharedBytes? {
        guard let entry = entries[name], entry.tag == tag else { return nil }
        return entry.content
    }

    /// Keeps a content; others go where it would be too much.
    mutating func keep(_ content: SharedBytes, of name: String, tag: [UInt8]) {
        guard content.count <= limit else { return }
        if let old = entries.removeValue(forKey: name) { byteCount -= old.content.count }
        while byteCount + content.count > limit, let other = entries.popFirst() {
            byteCount -= other.value.content.count
        }
        byteCount += content.count
        entries[name] = (tag, content)
    }
}
