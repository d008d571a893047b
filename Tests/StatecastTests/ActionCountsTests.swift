import Redux
import Sessions
import Testing

@testable import Statecast

@Suite struct `The counts of actions` {
    private let alice = Principal("alice", roles: ["x"])
    private let bob = Principal("bob", roles: ["y"])

    /// The counts that are not zero, `type/role origin fate`.
    private func list(_ counts: ActionCounts, _ typeCount: Int) -> [String: Int] {
        var list: [String: Int] = [:]
        for (cell, count) in counts.cells.enumerated() where count > 0 {
            let labels = ActionCounts.labels(ofCell: cell, typeCount: typeCount)
            list["\(labels.type)/\(labels.role) \(labels.origin) \(labels.fate)"] = count
        }
        return list
    }

    @Test func `stand apart by type, role, origin and fate`() {
        let counts = ActionCounts(typeCount: 3, RoleLabels())
        for _ in 0..<3 { counts.count(0, by: alice, .client, .accepted) }
        counts.count(0, by: alice, .client, .rejected)
        counts.count(0, by: nil, .effect, .accepted)
        counts.count(2, by: alice, .alarm, .dropped)
        counts.count(2, by: bob, .replay, .delayed)
        counts.count(2, by: alice, .server, .refused)
        #expect(
            list(counts, 3) == [
                "0/4 client accepted": 3, "0/4 client rejected": 1, "0/0 effect accepted": 1,
                "2/4 alarm dropped": 1, "2/5 replay delayed": 1, "2/4 server refused": 1,
            ])
    }

    @Test func `have one type for all that are not known`() {
        let counts = ActionCounts(typeCount: 2, RoleLabels())
        for type in [nil, -1, 2, 3, .max, .min] { counts.count(type, by: nil, .client, .refused) }
        #expect(list(counts, 2) == ["2/0 client refused": 6])
    }

    @Test func `are bounded by the types that are known and the labels of roles`() {
        let counts = ActionCounts(typeCount: 3, RoleLabels())
        for number in 0..<1_000 {
            let principal = Principal("p", roles: ["role\(number)"])
            counts.count(number, by: principal, .client, .accepted)
        }
        #expect(counts.cells.count <= (4 + RoleLabels.limit) * 4 * 30)
        #expect(counts.cells.reduce(0, +) == 1_000)
        #expect(
            list(counts, 3)["3/\(RoleLabels.other) client accepted"] == 1_000 - RoleLabels.limit)
    }
}

@Suite struct `The labels of roles` {
    private func label(_ principal: Principal?, _ labels: RoleLabels) -> String {
        let number = ActionCounts(typeCount: 1, labels).role(of: principal)
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
        #expect(labels.all.count == 4 + RoleLabels.limit)
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
        let counts = ActionCounts(typeCount: 1, labels)
        let (one, two) = (Principal("a", roles: ["x"]), Principal("b", roles: ["y", "z"]))
        let numbers = [one, one, two, one, nil, two, .anonymous, Principal("c")].map {
            counts.role(of: $0)
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
        #expect(Metric.escaped(value) == escaped)
    }
}
