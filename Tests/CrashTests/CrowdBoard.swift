import ClientWire
import StateCoding

/// What a crowd has sent, and was told.
struct CrowdBoard {
    /// What an answer has said, or is to say.
    struct Post {
        let session: Int
        /// Nil: where its outcome is unknown, nobody asks again.
        let key: String?
        /// What is added: without a key, what no other such post adds.
        let count: Int
        /// Nil before it is acknowledged.
        var version: Int?

        /// Its entry is told from all others by it.
        var name: String { key ?? "+\(count)" }
    }

    /// What a read or a stream has shown.
    struct Seen {
        let session: Int
        let version: Int
        let counter: Int

        init(_ session: Int, _ version: Int, _ state: [UInt8]) {
            (self.session, self.version) = (session, version)
            counter = (try? JSONValue(parsing: state.span))?["counter"]?.integer ?? -1
        }

        /// Nil before the first state.
        init?(_ session: Int, _ document: ClientDocument) {
            let version = document.token?.split(separator: "-").last.flatMap { Int($0) }
            guard let version, let state = document.json else { return nil }
            self.init(session, version, state)
        }
    }

    private(set) var acknowledged: [Post] = []
    /// The names of posts without keys that were kept, or not.
    private(set) var unknown: Set<String> = []
    /// Posts without an answer, one a client at most, and the number of the client's last.
    private(set) var pending: [Int: Post] = [:]
    private var numbers = [Int](repeating: 0, count: Crowd.clientCount)
    private(set) var reads: [Seen] = []
    private(set) var seen: [(watcher: Int, what: Seen)] = []
    /// The newest version of each session that anybody was told or shown.
    private(set) var newest = [Int](repeating: 0, count: Crowd.sessionCount)
    /// What each watcher is shown.
    var documents: [Int: ClientDocument] = [:]
    /// Of streams that went on while what they had missed could be read.
    var snapshotCount = 0
    /// The database, or the way to it, fails.
    var isWithoutPast = false
    var findings: [String] = []

    /// Now and then the first, which may have many watchers.
    static func anySession() -> Int {
        Int.random(in: 0..<16) == 0 ? 0 : Int.random(in: 0..<Crowd.sessionCount)
    }

    /// What a client posts next: what it has no answer for, or something new.
    mutating func next(of client: Int, isNew: Bool) -> Post? {
        if pending[client] == nil, isNew {
            numbers[client] += 1
            let number = numbers[client]
            let hasKey = Int.random(in: 0..<4) > 0
            pending[client] = Post(
                session: Self.anySession(), key: hasKey ? "\(client)-\(number)" : nil,
                count: hasKey ? .random(in: 1...9) : number * Crowd.clientCount + client)
        }
        return pending[client]
    }

    mutating func acknowledge(_ client: Int, at version: Int) {
        guard var post = pending.removeValue(forKey: client) else { return }
        post.version = version
        newest[post.session] = max(newest[post.session], version)
        acknowledged.append(post)
    }

    /// Nobody knows whether a client's post was kept; it is repeated where it has a key.
    mutating func doubt(_ client: Int) {
        guard let post = pending[client], post.key == nil else { return }
        unknown.insert(post.name)
        pending[client] = nil
    }

    /// - Parameter least: the newest version before the request.
    mutating func read(_ what: Seen, atLeast least: Int) {
        if what.version < least {
            findings.append("s\(what.session) is shown at \(what.version), behind \(least).")
        }
        newest[what.session] = max(newest[what.session], what.version)
        reads.append(what)
    }

    mutating func show(_ what: Seen, to watcher: Int) {
        newest[what.session] = max(newest[what.session], what.version)
        seen.append((watcher, what))
    }
}

extension CrowdBoard {
    /// What is not as it was told.
    func compare(with kept: Kept) -> [String] {
        findings + postsThatDiffer(from: kept) + statesThatDiffer(from: kept) + streamsThatDiffer()
    }

    private func postsThatDiffer(from kept: Kept) -> [String] {
        let names = kept.sessions.mapValues(\.names)
        let counts = Dictionary(grouping: names.values.joined()) { $0 }.mapValues(\.count)
        let (present, told) = (Set(counts.keys), Set(acknowledged.map(\.name)))
        var findings = pending.values.map { "\($0.name) has no answer." }
        for (name, count) in counts where count > 1 {
            findings.append("\(name) stands in \(count) entries.")
        }
        let missing = told.subtracting(present)
        let foreign = present.subtracting(told).subtracting(unknown)
        if !missing.isEmpty || !foreign.isEmpty {
            findings.append("Not kept: \(missing); kept alone: \(foreign)")
        }
        for post in acknowledged {
            let (entries, version) = (names[post.session] ?? [], post.version ?? 0)
            guard entries.indices.contains(version - 1), entries[version - 1] == post.name else {
                findings.append("\(post.name) is not version \(version) of s\(post.session).")
                continue
            }
        }
        return findings
    }

    private func statesThatDiffer(from kept: Kept) -> [String] {
        (reads + seen.map(\.what)).compactMap { seen in
            kept.sessions[seen.session]?.counter(at: seen.version) == seen.counter
                ? nil : "s\(seen.session) was \(seen.counter) at \(seen.version)."
        }
    }

    private func streamsThatDiffer() -> [String] {
        var (findings, last): ([String], [Int: Int]) = ([], [:])
        for (watcher, seen) in seen {
            if seen.version <= last[watcher] ?? -1 {
                findings.append("s\(seen.session) shows \(seen.version) again.")
            }
            last[watcher] = seen.version
        }
        if snapshotCount > 0 {
            findings.append("\(snapshotCount) streams that went on were given snapshots.")
        }
        return findings
    }
}

extension Kept.Session {
    /// The names of posts, in the order of versions.
    fileprivate var names: [String] {
        zip(1..., entries).map { version, entry in
            entry.key.isEmpty ? "+\(entry.counter - (counter(at: version - 1) ?? 0))" : entry.key
        }
    }
}
