import Foundation

/// The texts of the documentation, and the sources that their examples stand in.
enum Articles {
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A piece of code in a text.
    struct Block: Sendable, CustomStringConvertible {
        let file: String
        /// Of its first line, from 1.
        let lineNumber: Int
        let language: String
        let lines: [String]

        var description: String { "\(file):\(lineNumber)" }
    }

    /// Every article of every module, and the page that visitors see first.
    static func all() throws -> [String] {
        try paths(under: "Sources") { $0.contains(".docc/") && $0.hasSuffix(".md") }
            + ["README.md"]
    }

    /// The blocks of a language in all articles.
    static func blocks(in language: String) throws -> [Block] {
        try all().flatMap { try blocks(of: $0) }.filter { $0.language == language }
    }

    /// The lines of each source file that examples may stand in.
    static func sources() throws -> [String: [String]] {
        let places = [
            "Tests/DocumentationTests", "Tests/Support/FileJournal", "Sources/Examples",
        ]
        let files = try places.flatMap { try paths(under: $0) { $0.hasSuffix(".swift") } }
        return Dictionary(
            uniqueKeysWithValues: try files.map { ($0, normalized(try text(of: $0))) })
    }

    /// The sentences that tests are: the suite's name, where it has one, and the test's.
    static func tests() throws -> Set<String> {
        let files = try paths(under: "Tests") { $0.hasSuffix(".swift") }
        let sentences = try files.flatMap { path in
            let text = try text(of: path)
            let suites = text.matches(of: /struct `([^`]+)`|@Suite\("([^"]+)"/).map {
                ($0.1 ?? $0.2 ?? "") + " "
            }
            return text.matches(of: /func `([^`]+)`/).flatMap { test in
                (suites.isEmpty ? [""] : suites).map { $0 + test.1 }
            }
        }
        return Set(sentences.map { String($0) })
    }

    private static func blocks(of file: String) throws -> [Block] {
        var blocks: [Block] = []
        var open: (language: String, lineNumber: Int, text: [String])?
        let lines = try text(of: file).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            switch (isFence, open) {
            case (true, nil):
                let language = line.drop { $0 == " " || $0 == "`" }
                open = (String(language), index + 2, [])
            case (true, let block?):
                blocks.append(
                    Block(
                        file: file, lineNumber: block.lineNumber, language: block.language,
                        lines: normalized(block.text.joined(separator: "\n"))))
                open = nil
            case (false, _): open?.text.append(String(line))
            }
        }
        return blocks
    }

    /// The lines that say something, without indentation. A test target cannot have a program's
    /// entry point, so that `@main` stands in a comment there; the example's own targets say
    /// `public` to each other, where a reader's application may be one target.
    private static func normalized(_ text: String) -> [String] {
        text.split(separator: "\n").map {
            let line = $0.trimmingCharacters(in: .whitespaces)
                .replacing("/* @main */", with: "@main")
            return line.hasPrefix("public ") ? String(line.dropFirst(7)) : line
        }.filter { !$0.isEmpty }
    }

    static func paths(
        under directory: String, where isWanted: (String) -> Bool
    ) throws -> [String] {
        let url = root.appending(path: directory)
        return try FileManager.default.subpathsOfDirectory(atPath: url.path)
            .map { "\(directory)/\($0)" }.filter(isWanted).sorted()
    }

    static func text(of file: String) throws -> String {
        try String(contentsOf: root.appending(path: file), encoding: .utf8)
    }
}
