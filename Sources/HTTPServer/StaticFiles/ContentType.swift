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
