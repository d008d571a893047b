import ClientWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files and the input that a command is given.
enum TextFile {
    /// What is larger is given as input, which is read line by line.
    private static let limit = 256 << 20

    static func text(of path: String) throws(MirrorProblem) -> String {
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            if data.count <= limit { return String(decoding: data, as: UTF8.self) }
        } catch {
            throw MirrorProblem("no-file", "\(path) cannot be read.")
        }
        throw MirrorProblem("no-file", "\(path) has more than \(limit) bytes: give it as input.")
    }

    /// The text of a file that others should not read.
    static func secret(of path: String, _ warn: (String) -> Void) throws(MirrorProblem) -> String {
        let text = try text(of: path)
        // Of the file that a link leads to; where there is none, as of a pipe, nothing is said.
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        if let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 {
            warn("others may read \(path): chmod 600 \(path)")
        }
        return text
    }

    /// Lines end with LF, or CR LF: other ends may stand in a string of JSON.
    static func lines(in text: String) -> AnySequence<String> {
        AnySequence(
            text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).lazy
                .map { String(decoding: $0.last == 0x0d ? $0.dropLast() : $0, as: UTF8.self) })
    }

    /// The lines of the standard input, as they come.
    static func input() -> AnySequence<String> {
        AnySequence(sequence(state: ()) { _ in readLine() })
    }

    static func isText(_ line: String) -> Bool { !line.allSatisfy(\.isWhitespace) }
}
