import Redux
import Testing

private struct Person: Sendable, Hashable {
    var name = "ada"
    var age: Int? = 36
}

private struct Club: Sendable, Equatable {
    var members: [Person] = []
    var byName: [String: Person] = [:]
    var tags: Set<String> = []
    var door = Door.shut
    var motto = ""
    var rating = 0.0

    enum Door: Sendable, Equatable {
        case shut
        case open(by: Person)
    }
}

private func club(_ change: (inout Club) -> Void) -> Club {
    var club = Club()
    change(&club)
    return club
}

/// As Swift does, who knows private types by a number.
private func describe(_ person: Person) -> String { String(describing: person) }

@Suite struct `The difference of two states` {
    @Test func `is told by the path to each leaf`() {
        let old = club { $0.members = [Person(), Person()] }
        var new = old
        new.members[1].name = "bo"
        new.members[0].age = nil
        #expect(
            StateDiff.lines(old, new) == [
                "members[0].age: Optional(36) → nil", "members[1].name: \"ada\" → \"bo\"",
            ])
    }

    @Test func `of a dictionary is told by its keys, wherever they lie`() {
        let keys = (0..<40).map(String.init)
        let olds = Dictionary(uniqueKeysWithValues: keys.map { ($0, Person(name: $0)) })
        var news = Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, Person(name: $0)) })
        #expect(StateDiff.lines(olds, news).isEmpty)
        news["7"]?.age = 7
        news["8"] = nil
        news["new"] = Person(name: "new", age: nil)
        #expect(
            StateDiff.lines(club { $0.byName = olds }, club { $0.byName = news }) == [
                "byName[\"7\"].age: 36 → 7",
                "byName[\"8\"]: \(describe(Person(name: "8"))) → absent",
                "byName[\"new\"]: absent → \(describe(Person(name: "new", age: nil)))",
            ])
    }

    @Test func `of a set is what went and what came`() {
        let old = club { $0.tags = ["a", "b", "c"] }
        let new = club { $0.tags = ["c", "d"] }
        #expect(
            StateDiff.lines(old, new) == [
                "tags: \"a\" → absent", "tags: \"b\" → absent", "tags: absent → \"d\"",
            ])
        #expect(StateDiff.lines(Set([1]), Set([2])).first == "state: 1 → absent")
    }

    @Test func `of a case is told whole, and within a case by its parts`() {
        let shut = Club()
        let open = club { $0.door = .open(by: Person()) }
        let other = club { $0.door = .open(by: Person(name: "bo")) }
        #expect(StateDiff.lines(shut, open).count == 1)
        #expect(StateDiff.lines(shut, open)[0].hasPrefix("door: shut → open(by: "))
        #expect(StateDiff.lines(open, other) == ["door.open.by.name: \"ada\" → \"bo\""])
    }

    @Test func `of long texts is shown where they differ`() throws {
        let start = String(repeating: "x", count: 500)
        let old = club { $0.motto = start + "old" }
        let new = club { $0.motto = start + "new" + start }
        let line = try #require(StateDiff.lines(old, new).first)
        let context = String(repeating: "x", count: 20)
        #expect(line.hasPrefix("motto: …\(context)old\" → …\(context)new"))
        #expect(line.hasSuffix("x…"))
        #expect(line.count < 300)
    }

    @Test(arguments: [
        ("a\nb", "a\\nb"), ("a\r\nb", "a\\r\\nb"), ("a\tb", "a\\tb"), ("\u{1B}[2J", "\\u{1B}[2J"),
        ("a\u{2028}b", "a\\u{2028}b"), ("a\u{85}b", "a\\u{85}b"), ("→ 👩‍👧", "→ 👩‍👧"),
    ])
    func `is one line a leaf, whatever a client has written`(text: String, shown: String) {
        #expect(
            StateDiff.lines(Club(), club { $0.motto = text }) == ["motto: \"\" → \"\(shown)\""])
        let keyed = StateDiff.lines(Club(), club { $0.byName = [text: Person(), "b": Person()] })
        #expect(keyed.count == 1 && !keyed[0].unicodeScalars.contains { $0.value < 32 })
        let inner = club { $0.byName = ["b": Person()] }
        let key = StateDiff.lines(inner, club { $0.byName = [text: Person()] })
        #expect(key.contains { $0.hasPrefix("byName[\"\(shown)\"]: absent") })
    }

    @Test func `of values too large to be described tells their sizes`() {
        let text = String(repeating: "x", count: 20_000)
        #expect(
            StateDiff.lines(club { $0.motto = text }, club { $0.motto = text + "y" })
                == ["motto: String of 20000 → String of 20001"])
        let many = club { $0.members = Array(repeating: Person(), count: 2_000) }
        let line = "members: [] → Array<\(Person.self)> of 2000"
        #expect(StateDiff.lines(Club(), many) == [line])
        #expect(StateDiff.lines([text], [text + ""]).isEmpty)
        #expect(
            StateDiff.lines([text], [text.uppercased()])
                == ["[0]: String of 20000 → String of 20000"])
    }

    @Test func `is nothing where states are equal`() {
        #expect(StateDiff.lines(Club(), Club()).isEmpty)
    }

    @Test func `that is not shown is a line that says so`() {
        #expect(
            StateDiff.lines(Secret("a"), Secret("b")) == ["state: what differs is not shown"])
        let lost = club { $0.rating = .nan }
        #expect(StateDiff.lines(lost, lost) == ["rating: what differs is not shown"])
        var found = lost
        found.motto = "x"
        #expect(StateDiff.lines(lost, found) == ["motto: \"\" → \"x\""])
    }

    @Test func `shows nothing of what is hidden, nor of what lies below it`() {
        let old = club {
            $0.members = [Person()]
            $0.byName = ["ada": Person()]
            $0.tags = ["a"]
            $0.door = .open(by: Person())
        }
        let new = club {
            $0.members = [Person(name: "hunter2"), Person(name: "hunter2")]
            $0.byName = ["ada": Person(name: "hunter2"), "bo": Person(name: "hunter2")]
            $0.tags = ["hunter2"]
            $0.door = .open(by: Person(name: "hunter2", age: 7))
            $0.motto = "shown"
        }
        let hidden: Set = ["members.name", "byName.name", "tags", "door.open.by"]
        #expect(
            StateDiff.lines(old, new, hiding: hidden) == [
                "members[0].name: <redacted> → <redacted>",
                "members[1]: absent → <redacted>",
                "byName[\"ada\"].name: <redacted> → <redacted>",
                "byName[\"bo\"]: absent → <redacted>",
                "tags: <redacted> → <redacted>",
                "door.open.by: <redacted> → <redacted>",
                "motto: \"\" → \"shown\"",
            ])
        #expect(
            StateDiff.lines(Club(), new, hiding: hidden).allSatisfy { !$0.contains("hunter2") })
    }

    @Test func `hides no other part whose name begins alike`() {
        #expect(
            StateDiff.lines(Person(age: 1), Person(age: 2), hiding: ["ag", "age.x"])
                == ["age: <redacted> → <redacted>"])
        #expect(
            StateDiff.lines(Person(age: 1), Person(age: 2), hiding: ["ag"]) == ["age: 1 → 2"])
    }

    @Test func `of large states leaves out what is equal`() {
        let old = club { $0.members = (0..<20_000).map { Person(name: "\($0)") } }
        var new = old
        new.members[19_999].age = 1
        #expect(StateDiff.lines(old, new) == ["members[19999].age: 36 → 1"])
        new.members = new.members.reversed()
        #expect(StateDiff.lines(old, new).count == 51)
    }
}
