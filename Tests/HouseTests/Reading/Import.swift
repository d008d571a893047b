/// An import of a source file.
struct Import: Hashable {
    /// `HTTPTypes`; of a submodule its first name.
    let module: String
    let line: Int
    /// The module stands in for one that is not there:
    /// `#if canImport(FoundationEssentials) … #else import Foundation #endif`.
    let isFallback: Bool
    /// The file asks whether the module is there before it imports it, or another one instead.
    let isGuarded: Bool

    /// The imports of a source whose tokens hold no comments.
    static func all(in tokens: [Token]) -> [Import] {
        var imports: [Import] = []
        /// The open `#if`s, and whether each one's `#else` has come.
        var conditions: [(asksForModule: Bool, isElse: Bool)] = []
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "#if":
                let asks =
                    tokens.indices.contains(index + 1) && tokens[index + 1].isWord("canImport")
                conditions.append((asks, false))
            case "#else", "#elseif":
                if !conditions.isEmpty { conditions[conditions.count - 1].isElse = true }
            case "#endif": _ = conditions.popLast()
            case "import" where token.kind == .word:
                guard let module = module(after: index, in: tokens) else { continue }
                let asking = conditions.filter(\.asksForModule)
                imports.append(
                    Import(
                        module: module, line: token.line,
                        isFallback: asking.contains(where: \.isElse), isGuarded: !asking.isEmpty))
            default: break
            }
        }
        return imports
    }

    private static let kinds: Set<String> = [
        "struct", "enum", "class", "protocol", "func", "typealias", "var", "let",
    ]

    private static func module(after index: Int, in tokens: [Token]) -> String? {
        let line = tokens[index].line
        return tokens[(index + 1)...].prefix { $0.line == line }
            .first { $0.isName && !kinds.contains($0.text) }?.text
    }
}
