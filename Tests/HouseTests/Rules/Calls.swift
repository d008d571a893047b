/// Calls that the house does without, and code that the compiler does not check.
enum Calls {
    private static let gcd = "write a task, or a thread of Sockets"
    private static let lock = "write Lock or Mutex"
    private static let sleep = "wait for the event, or by a clock that a test turns by hand"

    /// What is banned, as the formatter writes it, and what to do instead.
    static let bans = [
        "try!": "throw on, or handle the error", "as!": "hold the value by its type",
        "fatalError(": "write a precondition with a sentence",
        "Task.detached": "give the task an owner that cancels it",
        "import Dispatch": gcd, "DispatchQueue": gcd, "DispatchGroup": gcd,
        "DispatchSemaphore": gcd, "DispatchWorkItem": gcd,
        "NSLock": lock, "NSRecursiveLock": lock, "NSCondition": lock, "pthread_mutex_lock": lock,
        "Task.sleep": sleep, "Thread.sleep": sleep, "usleep(": sleep, "nanosleep(": sleep,
        "sleep(": sleep,
    ]

    /// The targets that are there to do it: a measurement lasts a time.
    private static let exempt: [String: Set<String>] = [
        "pthread_mutex_lock": bindings, "Task.sleep": ["journal-writer", "load-generator"],
        "usleep(": ["load-generator"],
    ]

    /// Words that no comment holds: what is missing is done, or has an issue.
    private static let leftovers = ["TODO", "FIXME"]

    static func banned(in tree: SourceTree) -> [String] {
        let words = Dictionary(grouping: bans.keys) { $0.prefix { $0.isLetter || $0 == "_" } }
        return tree.files.flatMap { file in
            let own = file.declarations.filter(\.isFunction).map { "\($0.name)(" }
            let calls = file.tokens.indices.compactMap { index in
                let token = file.tokens[index]
                let ban = words[Substring(token.text)]?.first {
                    file.bytes[token.start...].starts(with: $0.utf8) && !own.contains($0)
                        && (index == 0 || file.tokens[index - 1].text != ".")
                }
                return ban.flatMap { ban in
                    exempt[ban]?.contains(file.target) == true
                        ? nil : "\(file.path):\(token.line): \(ban): \(bans[ban] ?? "")"
                }
            }
            return calls
                + leftovers.filter(file.comments.contains).map {
                    "\(file.path): \($0): do it, or open an issue"
                }
        }
    }

    /// The targets that may switch the compiler's checks off: each binds a library of C, or looks
    /// at the bits of a value.
    static let bindings: Set<String> = [
        "Curl", "Gzip", "PostgreSQL", "Reflection", "SQLite", "Sockets", "Sodium", "Threads",
    ]

    private static let promises: Set<String> = ["@unchecked", "assumeIsolated"]

    /// Unchecked code stands in the bindings alone, and a promise to the compiler behind its reason.
    static func unsafe(in tree: SourceTree) -> [String] {
        tree.sources.flatMap { file in
            file.tokens.compactMap { token in
                let place = "\(file.path):\(token.line): \(token.text)"
                let isPromise = promises.contains(token.text)
                guard isPromise || token.text == "unsafe" || token.text == "@unsafe" else {
                    return nil
                }
                guard bindings.contains(file.target) else {
                    return "\(place) stands outside of the bindings: move what needs it into one"
                }
                return !isPromise || file.commentLines.contains(token.line - 1)
                    ? nil : "\(place): say on the line above why this is right"
            }
        }
    }
}
