internal import Bytes
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
        let slash = UInt8(ascii: "/")
        var segments = [UInt8](copying: path).split(
            separator: slash, omittingEmptySubsequences: false)
        guard segments.removeFirst().isEmpty else { return nil }
        isDirectory = segments.last?.isEmpty ?? true
        if isDirectory { _ = segments.popLast() }
        var names: [String] = []
        for segment in segments {
            guard let decoded = PercentCoding.decodedBytes(segment), Self.isName(decoded),
                let name = String(validating: decoded, as: UTF8.self)
            else { return nil }
            names.append(name)
        }
        relative = names.joined(separator: "/")
    }

    private static func isName(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first != UInt8(ascii: ".") else { return false }
        return bytes.allSatisfy { byte in
            byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\\")
                && byte != UInt8(ascii: "/")
        }
    }
}

extension StaticFile {
    /// The media type of a file by the end of its name, with a charset where it is text.
    static func contentType(ofFileNamed name: String) -> String {
        let end = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        return end.flatMap { known[$0] } ?? "application/octet-stream"
    }

    private static let known: [String: String] = [
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
