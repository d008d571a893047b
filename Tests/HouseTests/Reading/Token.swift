/// A piece of Swift source.
struct Token: Equatable {
    /// The sorts of pieces that the house's rules tell apart.
    enum Kind {
        /// A keyword or a name.
        case word
        /// A name in backticks; its text comes without them.
        case quoted
        /// `@name`, without its arguments.
        case attribute
        /// `#name`.
        case directive
        case number
        /// A literal, or a part of one between interpolations, without delimiters.
        case string
        /// An operator or punctuation.
        case mark
        /// `//` or `/* */`, without these.
        case comment
        /// `///` or `/** */`, without these.
        case documentation
    }

    let kind: Kind
    let text: String
    /// The line of its first byte, from 1.
    let line: Int
    /// The bytes of the source that it is made of.
    let range: Range<Int>

    /// The piece is the keyword `word`, not a name in backticks.
    func isWord(_ word: String) -> Bool { kind == .word && text == word }

    /// The piece is the punctuation or operator `mark`.
    func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }

    var isName: Bool { kind == .word || kind == .quoted }

    var isComment: Bool { kind == .comment || kind == .documentation }
}
