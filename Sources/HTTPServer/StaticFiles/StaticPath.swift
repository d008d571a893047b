internal import HTTPMessages

/// The file that a request's path asks for, relative to the root.
///
/// Every segment is decoded once and must then be a plain name: nothing that begins with a dot
/// (so no `..` in any spelling, and no hidden file), no slash, backslash, control character or
/// invalid UTF-8 that was hidden in an escape. The kernel checks again, as it resolves the path
/// beneath the root only.
struct StaticPath: Equatable {
    /// `pages/index.html`; empty for the root itself.
    let relative: String
    /// The path ends in a slash, and so means a directory.
    let isDirectory: Bool

    /// Nil when the path of a request cannot be that of a file that is served.
    init?(_ path: Slice, in bytes: Span<UInt8>) {
        self.init(bytes.extracting(path.range))
    }

    /// As above; an empty path is that of a target without one, which means the root.
    init?(_ path: Span<UInt8>) {
        guard path.count > 0 else {
            (relative, isDirectory) = ("", true)
            return
        }
        guard path[0] == UInt8(ascii: "/") else { return nil }
        var decoded: [UInt8] = []
        var segmentStart = 0
        var index = 1
        while index < path.count {
            guard let byte = Self.decode(path, at: &index) else { return nil }
            if byte.isSeparator {
                guard decoded.count > segmentStart else { return nil }
                segmentStart = decoded.count + 1
            } else if !Self.isAllowed(byte.value, isFirst: decoded.count == segmentStart) {
                return nil
            }
            decoded.append(byte.value)
        }
        isDirectory = decoded.isEmpty || decoded.last == UInt8(ascii: "/")
        if !decoded.isEmpty, isDirectory { decoded.removeLast() }
        guard let text = String(validating: decoded, as: UTF8.self) else { return nil }
        relative = text
    }

    /// The last name in it.
    var name: String {
        guard let slash = relative.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return String(relative[relative.utf8.index(after: slash)...])
    }

    private static func isAllowed(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, UInt8(ascii: "\\"), UInt8(ascii: "/"): false
        case UInt8(ascii: "."): !isFirst
        default: true
        }
    }

    /// One byte of the path, its escape taken off. Only a slash that was not escaped separates.
    private static func decode(
        _ path: Span<UInt8>, at index: inout Int
    ) -> (value: UInt8, isSeparator: Bool)? {
        let byte = path[index]
        index += 1
        guard byte == UInt8(ascii: "%") else { return (byte, byte == UInt8(ascii: "/")) }
        guard index + 1 < path.count, let high = digit(path[index]),
            let low = digit(path[index + 1])
        else { return nil }
        index += 2
        return (high << 4 | low, false)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The media types of files, by the ends of their names.
enum ContentType {
    /// The value of `Content-Type`, with a charset where it is text.
    static func ofFile(named name: String) -> StaticString {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
            return "application/octet-stream"
        }
        return known[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }

    /// Answers true where compressing pays: for text, and for types that are text underneath.
    static func isCompressible(_ type: StaticString) -> Bool {
        let text = type.description
        return text.hasPrefix("text/") || text.hasSuffix("json") || text.hasSuffix("xml")
            || text.contains("charset") || text == "application/wasm"
    }

    private static let known: [String: StaticString] = [
        "html": "text/html; charset=utf-8",
        "htm": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "mjs": "text/javascript; charset=utf-8",
        "ts": "text/plain; charset=utf-8",
        "txt": "text/plain; charset=utf-8",
        "md": "text/markdown; charset=utf-8",
        "csv": "text/csv; charset=utf-8",
        "xml": "application/xml",
        "json": "application/json",
        "map": "application/json",
        "webmanifest": "application/manifest+json",
        "svg": "image/svg+xml",
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif",
        "webp": "image/webp",
        "avif": "image/avif",
        "ico": "image/x-icon",
        "woff": "font/woff",
        "woff2": "font/woff2",
        "ttf": "font/ttf",
        "otf": "font/otf",
        "mp4": "video/mp4",
        "webm": "video/webm",
        "mp3": "audio/mpeg",
        "pdf": "application/pdf",
        "wasm": "application/wasm",
        "zip": "application/zip",
        "gz": "application/gzip",
    ]
}
