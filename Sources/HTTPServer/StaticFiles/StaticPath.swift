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

    /// The kinds, each with the ends of names that belong to its types; an end that its type is not
    /// called by stands before it.
    private static let kinds = [
        "text": "html htm=html css js=javascript mjs=javascript ts=plain txt=plain md=markdown csv",
        "image": "svg=svg+xml png jpg=jpeg jpeg gif webp avif ico=x-icon",
        "font": "woff woff2 ttf otf",
        "video": "mp4 webm",
        "audio": "mp3=mpeg",
        "application": "xml json map=json webmanifest=manifest+json pdf wasm zip gz=gzip",
    ]

    private static let known = kinds.reduce(into: [String: String]()) { known, kind in
        for entry in kind.value.split(separator: " ") {
            let names = entry.split(separator: "=")
            let set = kind.key == "text" ? "; charset=utf-8" : ""
            known[String(names[0])] = "\(kind.key)/\(names.last ?? "")\(set)"
        }
    }
}
