import Journaling
import PostgreSQL
import Threads

/// A connection that writes, or reads, and what each connection is told first.
struct PlainLane: DatabaseLane {
    /// Of advisory locks: the higher number of two; "Sc" and a number, as in SQLite's file.
    static let lockClass = 1_399_024_177

    let schema: String
    let lane: PostgreSQLJournal.Lane
    /// Whose connection it is.
    var appender: Appender?

    /// A planner that does not know how long arrays are would read tables for them.
    private static let usual = [
        "plan_cache_mode": "force_generic_plan", "enable_hashjoin": "off",
        "enable_mergejoin": "off", "enable_seqscan": "off", "jit": "off",
        "default_transaction_isolation": "read committed", "lock_timeout": "5s",
        "statement_timeout": "20s", "idle_in_transaction_session_timeout": "20s",
        "tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3",
        "tcp_user_timeout": "5000", "client_min_messages": "warning",
    ]

    /// Those of some. That a server lives need not be on a standby: what rests on its end is.
    private static let others: [PostgreSQLJournal.Lane: [String: String]] = [
        .living: ["synchronous_commit": "local"],
        .reading: ["default_transaction_isolation": "repeatable read"],
        .past: ["default_transaction_isolation": "repeatable read"],
    ]

    /// Without these a power loss loses what was acknowledged.
    private static let needed = ["fsync", "full_page_writes", "synchronous_commit"]

    var call: Call {
        var all = Self.usual.merging(Self.others[lane] ?? [:]) { $1 }
        all["search_path"] = Self.quoted(schema)
        all["statecast.lane"] = "\(lane.rawValue)"
        let found = Self.needed.map { "current_setting('\($0)')" }
        let texts = all.sorted { $0.key < $1.key }.map { name, value in
            "set_config('\(name)', '\(value.replacing("'", with: "''"))', false)"
        }
        return Statement(once: "SELECT \((found + texts).joined(separator: ", "))")()
    }

    /// Why a connection may not be used that was told them; nil where it may.
    func refusal(by reply: Reply) -> String? {
        switch reply {
        case .failure(.refused(_, let message)): message
        case .failure: "the connection was lost"
        case .success(let rows) where rows.first?.isEmpty ?? true: "it does not answer"
        case .success(let rows):
            Self.needed.indices.first { rows[0][0].text($0) == "off" }.map {
                "it has \(Self.needed[$0]) = off, and a power loss would lose what was acknowledged"
            }
        }
    }

    static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// A commit that waits for a standby sees no lost connection: who lost it ends it, so that not all
    /// connections of the database wait so. What it has written rests on the next commit.
    func greeting(after backends: [Int64]) -> [Call] {
        let release: Statement = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ANY($1::int8[])
                AND usename = current_user AND wait_event = 'SyncRep'
            """
        let rows = backends.map { [Parameter.integer($0)] }
        return [call] + (rows.isEmpty ? [] : [release.once(rows.columns)])
    }

    var patience: Duration { .seconds(25) }
    func changed(isUp: Bool) { appender?.inbox.withLock { $0.status.isAvailable = isUp } }

    /// Waits until all connections are there, and looks whether each is one for its whole life: behind a
    /// pooler that gives them out by transactions one finds the settings of another.
    static func check(_ threads: [DatabaseThread]) throws {
        let setting = Statement(once: "SELECT current_setting('statecast.lane', true)")
        for thread in threads { _ = try thread.wait(for: [setting()]) }
        for (lane, thread) in threads.enumerated() {
            let found = try thread.wait(for: [setting()])
            guard found[0].first?.text(0) == "\(lane)" else {
                throw JournalRefusal(
                    "Between PostgreSQL and this server stands a pooler in transaction mode: "
                        + "connect directly, or by one in session mode.")
            }
        }
    }
}
