/// Calls that the house does without.
enum Calls {
    /// A sequence of tokens that is banned, and what to write instead.
    struct Ban {
        /// `Task . sleep`: words and marks as the tokenizer cuts them.
        let tokens: [String]
        let advice: String
        /// The tokens follow each other without spaces: `try!`, and not `try !isReady()`.
        var isTight = false
        /// Tokens that must not stand before them.
        var notAfter: Set<String> = []
        /// The targets that are there to do it.
        var exempt: Set<String> = []

        var name: String { tokens.joined() }
    }

    private static let gcd = "write a task, or a thread of Sockets"
    private static let lock = "write Lock or Mutex"
    private static let sleep = "wait for the event, or by a clock that a test turns by hand"

    /// A measurement lasts a time.
    private static let measuring: Set<String> = ["load-generator"]

    static let bans: [Ban] = [
        Ban(tokens: ["try", "!"], advice: "throw on, or handle the error", isTight: true),
        Ban(tokens: ["as", "!"], advice: "hold the value by its type", isTight: true),
        Ban(tokens: ["fatalError", "("], advice: "write a precondition with a sentence"),
        Ban(tokens: ["Task", ".", "detached"], advice: "give the task an owner that cancels it"),
        Ban(tokens: ["import", "Dispatch"], advice: gcd),
        Ban(tokens: ["DispatchQueue"], advice: gcd),
        Ban(tokens: ["DispatchGroup"], advice: gcd),
        Ban(tokens: ["DispatchSemaphore"], advice: gcd),
        Ban(tokens: ["DispatchWorkItem"], advice: gcd),
        Ban(tokens: ["NSLock"], advice: lock),
        Ban(tokens: ["NSRecursiveLock"], advice: lock),
        Ban(tokens: ["NSCondition"], advice: lock),
        Ban(tokens: ["pthread_mutex_lock"], advice: lock, exempt: bindings),
        Ban(tokens: ["Task", ".", "sleep"], advice: sleep, exempt: measuring),
        Ban(tokens: ["Thread", ".", "sleep"], advice: sleep),
        Ban(tokens: ["usleep", "("], advice: sleep, exempt: measuring),
        Ban(tokens: ["nanosleep", "("], advice: sleep),
        Ban(tokens: ["sleep", "("], advice: sleep, notAfter: [".", "func"]),
    ]

    /// Words that no comment holds: what is missing is done, or has an issue.
    static let leftovers = ["TODO", "FIXME"]

    static func banned(in tree: SourceTree) -> [Finding] {
        tree.files.flatMap { file in
            let functions = Set(file.declarations.filter(\.isFunction).map(\.name))
            let calls = file.tokens.indices.compactMap { index -> Finding? in
                guard let ban = ban(at: index, in: file.tokens, besides: functions),
                    !ban.exempt.contains(file.target)
                else { return nil }
                return Finding(
                    .bannedCalls, "\(file.path): \(ban.name)", in: file,
                    line: file.tokens[index].line, "\(ban.name): \(ban.advice)")
            }
            let comments = file.comments.compactMap { comment -> Finding? in
                guard let word = leftovers.first(where: { comment.text.contains($0) }) else {
                    return nil
                }
                return Finding(
                    .bannedCalls, "\(file.path): \(word)", in: file, line: comment.line,
                    "\(word): do it, or open an issue")
            }
            return calls + comments
        }
    }

    /// The ban that begins at a token, but for functions that the file declares itself.
    private static func ban(
        at index: Int, in tokens: [Token], besides functions: Set<String>
    ) -> Ban? {
        guard tokens[index].kind == .word, firstWords.contains(tokens[index].text) else {
            return nil
        }
        return bans.first { ban in
            guard index + ban.tokens.count <= tokens.count, !functions.contains(ban.tokens[0]),
                index == 0 || !ban.notAfter.contains(tokens[index - 1].text)
            else { return false }
            return ban.tokens.indices.allSatisfy { offset in
                let token = tokens[index + offset]
                let isHere =
                    token.kind != .string
                    && (token.text == ban.tokens[offset]
                        || ban.isTight && offset > 0 && token.text.hasPrefix(ban.tokens[offset]))
                let isClose =
                    offset == 0
                    || tokens[index + offset - 1].range.upperBound
                        == token.range.lowerBound
                return isHere && (isClose || !ban.isTight)
            }
        }
    }

    private static let firstWords = Set(bans.map { $0.tokens[0] })

    /// The targets that may switch the compiler's checks off: each binds a library of C, or looks
    /// at the bits of a value.
    static let bindings: Set<String> = [
        "Curl", "Gzip", "Reflection", "Sockets", "Sodium", "Threads",
    ]

    /// Code of Sources that the compiler does not check, outside of the bindings.
    static func unsafe(in tree: SourceTree) -> [Finding] {
        tree.sources.filter { !bindings.contains($0.target) }.flatMap { file in
            file.tokens.filter(isUnsafe).map { token in
                Finding(
                    .unsafeCode, "\(file.path): \(token.text)", in: file, line: token.line,
                    "\(token.text) stands outside of the bindings: "
                        + "move what needs it into one, with its invariant in words")
            }
        }
    }

    private static func isUnsafe(_ token: Token) -> Bool {
        switch token.kind {
        case .word: token.text == "unsafe" || token.text == "assumeIsolated"
        case .attribute: token.text == "@unchecked" || token.text == "@unsafe"
        default: false
        }
    }
}
