import Redux
import Sessions
import Testing

@testable import Statecast

@Suite struct `The counts of actions` {
    /// The counts that are not zero, `type/role origin fate`.
    private func list(_ counts: ActionCounts) -> [String: Int] {
        var list: [String: Int] = [:]
        for (place, row) in counts.rows.enumerated() {
            for column in 0..<ActionCounts.columnCount {
                let count = counts.cells[place * ActionCounts.columnCount + column]
                let (origin, fate) = ActionCounts.label(ofColumn: column)
                if count > 0 { list["\(row.type)/\(row.role) \(origin) \(fate)"] = count }
            }
        }
        return list
    }

    @Test func `stand apart by type, role, origin and fate`() {
        let counts = ActionCounts(typeCount: 3, roleCount: 5)
        for _ in 0..<3 { counts.count(0, role: 4, .client, .accepted) }
        counts.count(0, role: 4, .client, .rejected)
        counts.count(0, role: 0, .effect, .accepted)
        counts.count(2, role: 4, .alarm, .dropped)
        counts.count(2, role: 4, .replay, .delayed)
        counts.count(2, role: 4, .server, .refused)
        #expect(
            list(counts) == [
                "0/4 client accepted": 3, "0/4 client rejected": 1, "0/0 effect accepted": 1,
                "2/4 alarm dropped": 1, "2/4 replay delayed": 1, "2/4 server refused": 1,
            ])
        #expect(counts.rows.count == 3)
    }

    @Test func `have one type for all that are not known`() {
        let counts = ActionCounts(typeCount: 2, roleCount: 1)
        for type in [-1, 2, 3, .max, .min] { counts.count(type, role: 0, .client, .refused) }
        #expect(list(counts) == ["2/0 client refused": 5])
    }

    @Test func `are bounded, and above that of an unknown type`() {
        let (types, roles) = (ActionCounts.rowLimit, 3)
        let counts = ActionCounts(typeCount: types, roleCount: roles)
        for _ in 0..<2 {
            for type in 0..<types {
                for role in 0..<roles { counts.count(type, role: role, .client, .accepted) }
            }
        }
        #expect(counts.rows.count <= ActionCounts.rowLimit + roles)
        #expect(counts.cells.reduce(0, +) == 2 * types * roles)
        #expect(list(counts)["\(types)/0 client accepted"] ?? 0 > 0)
        #expect(list(counts)["0/0 client accepted"] == 2)
    }

    @Test func `tell the fate of each action of a batch`() {
        let tally = ActionTally(typeCount: 4, RoleLabels())
        let no = Rejection("no", "No.")
        let batches: [BatchOutcome] = [
            .accepted([.accepted(first: 1, last: 1, changed: true), .dropped, .delayed(.zero)]),
            .rejected(index: 1, no), .refused,
        ]
        for batch in batches {
            tally.count(.batch(batch), type: 3, types: [0, 1, 2], by: nil, .server)
        }
        tally.count(.single(.rejected(no)), type: 3, types: [], by: .anonymous, .client)
        #expect(
            list(tally.drainedCounts()) == [
                "0/0 server accepted": 1, "1/0 server dropped": 1, "2/0 server delayed": 1,
                "0/0 server refused": 2, "1/0 server rejected": 1, "2/0 server refused": 2,
                "1/0 server refused": 1, "3/1 client rejected": 1,
            ])
    }
}

@Suite struct `The labels of roles` {
    private func label(_ principal: Principal?, _ labels: RoleLabels) -> String {
        let reader = RoleReader(labels)
        let number = reader.number(of: principal)
        return labels.all[number]
    }

    @Test func `name the roles of a principal, in order, and never its id`() {
        let labels = RoleLabels()
        #expect(label(Principal("alice", roles: ["member", "admin"]), labels) == "admin+member")
        #expect(label(Principal("bob", roles: ["admin", "member"]), labels) == "admin+member")
        #expect(label(Principal("carol"), labels) == "none")
        #expect(label(.anonymous, labels) == "anonymous")
        #expect(label(Principal("", roles: ["observe"]), labels) == "anonymous")
        #expect(label(nil, labels) == "server")
        #expect(labels.all == ["server", "anonymous", "none", "other", "admin+member"])
    }

    @Test func `are as many as may be, and the others are one`() {
        let labels = RoleLabels()
        for number in 0..<1_000 {
            let own = label(Principal("p", roles: ["role\(number)"]), labels)
            #expect(own == (number < RoleLabels.limit ? "role\(number)" : "other"))
        }
        #expect(labels.all.count == RoleLabels.count)
        #expect(label(Principal("p", roles: ["role3"]), labels) == "role3")
        let long = RoleLabels()
        let name = String(repeating: "x", count: RoleLabels.byteCount + 1)
        #expect(label(Principal("p", roles: [name]), long) == "other")
        #expect(long.all.count == 4)
    }

    @Test(arguments: [["server"], ["anonymous"], ["none"], ["other"], ["a+b"], ["a", "b+c"]])
    func `are never one of which another one could be meant`(roles: Set<String>) {
        let labels = RoleLabels()
        #expect(label(Principal("p", roles: roles), labels) == "other")
        #expect(label(Principal("p", roles: ["a", "b"]), labels) == "a+b")
        #expect(label(Principal("p", roles: ["a", "server"]), labels) == "a+server")
        #expect(Set(labels.all).count == labels.all.count)
    }

    @Test func `follow whoever comes`() {
        let labels = RoleLabels()
        let reader = RoleReader(labels)
        let (one, two) = (Principal("a", roles: ["x"]), Principal("b", roles: ["y", "z"]))
        let numbers = [one, one, two, one, nil, two, .anonymous, Principal("c")].map {
            reader.number(of: $0)
        }
        let names = numbers.map { labels.all[$0] }
        #expect(names == ["x", "x", "y+z", "x", "server", "y+z", "anonymous", "none"])
    }
}

@Suite struct `The value of a label` {
    @Test(arguments: [
        ("plain/type", "plain/type"), ("a\"b", #"a\"b"#), ("a\\b", #"a\\b"#), ("a\nb", #"a\nb"#),
        ("\\\"\n", #"\\\"\n"#), ("räksmörgås", "räksmörgås"), ("", ""),
    ])
    func `is escaped`(value: String, escaped: String) {
        #expect(MetricsLabel.escaped(value) == escaped)
    }
}
