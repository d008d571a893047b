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
        // Where the mode is not known, nothing is said.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 {
            warn("others may read \(path): chmod 600 \(path)")
        }
        return text
    }

    /// The lines that are not blank.
    static func lines(in text: String) -> AnySequence<String> {
        AnySequence(text.split(whereSeparator: \.isNewline).lazy.map(String.init).filter(isText))
    }

    /// The lines of the standard input that are not blank, as they come.
    static func input() -> AnySequence<String> {
        AnySequence(sequence(state: ()) { _ in readLine() }.lazy.filter(isText))
    }

    private static func isText(_ line: String) -> Bool { !line.allSatisfy(\.isWhitespace) }
}
