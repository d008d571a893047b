import Statecast
import Synchronization
import Testing

@testable import StatecastTesting

@Suite struct `Random actions` {
    private static let people = [Principal("alice"), Principal("bob"), .anonymous]

    /// Shows which sizes there are.
    private static let sized = Warehouse.Action.shelf(.item(id: "1", .sized(.small)))

    /// A test of the warehouse with a flaw.
    private static func actions(
        _ flaw: Warehouse.Flaw = .none, seed: UInt64 = 1, steps: Int = 4_000
    ) -> RandomActions<Warehouse> {
        RandomActions(
            Warehouse(flaw), as: people, options: .init(examples: [sized]), steps: steps, seed: seed
        )
    }

    @Test func `are of every type, and the application accepts some of each`() {
        let counts = Self.actions().count { _, warehouse in
            #expect(warehouse.items.allSatisfy { $0.count >= 0 })
        }
        #expect(
            counts.made.keys.sorted() == [
                "audit/answered", "audit/asked", "hours/ended", "session/restored",
                "session/watchersChanged", "shelf/added", "shelf/item/divided", "shelf/item/filled",
                "shelf/item/removed", "shelf/item/sized", "shelf/noted",
            ])
        #expect(counts.neverAccepted == [])
        #expect(counts.stepCount == 4_000 && counts.sequenceCount > 20)
    }

    @Test func `are about what stands in the state, and reach far into it`() {
        let reached = Mutex<Set<String>>([])
        let counts = Self.actions().count { _, warehouse in
            reached.withLock { reached in
                if warehouse.items.contains(where: { $0.count > 0 }) { reached.insert("filled") }
                if warehouse.items.first?.size == .large { reached.insert("large") }
                if warehouse.items.count == 10 { reached.insert("full") }
                if warehouse.audit.problem != nil { reached.insert("problem") }
                if warehouse.watching.contains("bob") { reached.insert("bob") }
                if warehouse.closes == nil, !warehouse.items.isEmpty { reached.insert("closed") }
            }
        }
        #expect(
            reached.withLock { $0.sorted() } == [
                "bob", "closed", "filled", "full", "large", "problem",
            ])
        let filled = counts.accepted["shelf/item/filled", default: 0]
        #expect(filled * 10 > counts.made["shelf/item/filled", default: 0])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `shrink a failing expectation to its shortest sequence`(seed: UInt64) {
        let text = recordedText {
            Self.actions(.negativeCount, seed: seed).check { warehouse in
                #expect(warehouse.items.allSatisfy { $0.count >= 0 })
            }
        }
        #expect(text.contains("Found by RandomActions in 2 steps"), "\(text)")
        let lines = [
            #"1. alice, at 0 ms: {"type":"shelf/added","payload":{"name":"a"}}"#,
            #"2. alice, at 0 ms: {"type":"shelf/item/filled","payload":{"id":"id-1","by":-1}}"#,
        ]
        #expect(text.contains(lines.joined(separator: "\n    ")), "\(text)")
    }

    @Test func `are the same for a seed, and others for another one`() {
        func counts(seed: UInt64) -> ActionCoverage {
            Self.actions(seed: seed, steps: 1_000).count { _, _ in }
        }
        #expect(counts(seed: 7) == counts(seed: 7))
        #expect(counts(seed: 7) != counts(seed: 8))
    }

    @Test func `shrink the sequence to an error that the closure throws`() {
        struct Overfull: Error {}
        let text = recordedText {
            Self.actions().check { if $0.items.count == 3 { throw Overfull() } }
        }
        #expect(text.contains("Overfull") && text.contains("in 3 steps"), "\(text)")
    }

    @Test(arguments: [
        (Warehouse.Flaw.impureReducer, 2, "again with the same state, action and step.\n"),
        (.unsortedWatchers, 1, "where dictionaries and sets of the state lie in another order"),
        (.doubledWork, 4, "lists two works named \"large/a\""),
        (.lostNote, 1, "is another one once it has been through JSON"),
        (.failingView, 2, "view \"counts\" cannot be shown"),
        (.issueOfReducer, 2, "The application records an issue: "),
    ])
    func `find what holds for no application`(flaw: Warehouse.Flaw, steps: Int, sentence: String) {
        let text = recordedText { Self.actions(flaw, steps: 30_000).check { _ in } }
        let count = steps == 1 ? "1 step" : "\(steps) steps"
        #expect(text.contains(sentence) && text.contains("in \(count) "), "\(text)")
    }

    @Test func `find a state that the options refuse`() {
        let options = SessionOptions<Warehouse.State, Warehouse.Action>(
            validate: { (warehouse) throws(Rejection) in
                guard warehouse.items.count < 3 else { throw Rejection("full", "It is full.") }
            }, examples: [Self.sized])
        let text = recordedText {
            RandomActions(Warehouse(.none), as: Self.people, options: options).check { _ in }
        }
        #expect(text.contains("The options refuse the state: full: It is full."), "\(text)")
        #expect(text.contains("Found by RandomActions in 3 steps"), "\(text)")
    }

    @Test func `fail for an issue that an application records while its answer is made up`() {
        let text = recordedText { Self.actions(.issueOfAnswer, steps: 30_000).check { _ in } }
        #expect(text.contains("The answer is odd.") && text.contains("audit/asked"), "\(text)")
    }

    /// Its state records an issue where it is read.
    private struct Unreadable: Application {
        struct State: StateValue {
            var count = 0

            init() {}
            init(from decoder: any Decoder) throws { Issue.record("It is odd.") }
        }

        enum Action: ActionGroup { case counted }

        let initialState = State()
        var views: Views<State> { .all }

        func work(in state: State) -> [Work<Action>] { [] }

        func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
            state.count += 1
        }
    }

    @Test func `fail once for an issue that is recorded where the first state is read`() {
        let issues = recordedIssues { RandomActions(Unreadable()).check { _ in } }
        #expect(issues.count == 1 && issues.first?.contains("records an issue") == true)
    }

    @Test func `name the sequence where a closure that remembers does not fail again`() {
        let known = Mutex<Set<Int>>([])
        let text = recordedText {
            Self.actions().check { warehouse in
                let isNew = known.withLock { $0.insert(warehouse.items.count).inserted }
                #expect(!isNew || warehouse.items.count < 2)
            }
        }
        #expect(text.contains("does not fail again with the same state"), "\(text)")
        #expect(text.contains("Found by RandomActions in ") && text.contains("shelf/added"))
    }

    @Test(
        arguments: [
            (0, nil, "steps is \"0\""), (nil, "many", "RANDOM_STEPS is \"many\""),
            (nil, "-1", "RANDOM_STEPS is \"-1\""),
        ] as [(Int?, String?, String)])
    func `fail where no step is to be taken`(steps: Int?, variable: String?, start: String) {
        let text = recordedText {
            var actions = RandomActions(Warehouse(), as: Self.people, steps: steps)
            actions.environment = variable.map { ["RANDOM_STEPS": $0] } ?? [:]
            let coverage = actions.count { _, _ in }
            #expect(coverage.stepCount == 0)
        }
        #expect(text.contains("\(start), and has to be a number from 1"), "\(text)")
    }

    @Test func `name the step that ends the process, where they are traced`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var actions = RandomActions(
                Warehouse(.division), as: [Principal("alice")], steps: 50_000)
            actions.environment["RANDOM_TRACE"] = "1"
            actions.check { _ in }
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(
            separator: "\n")
        let last = try #require(lines.last { $0.contains("ms: {") })
        #expect(last.contains(#""type":"shelf/item/divided""#) && last.contains(#""among":0"#))
        #expect(lines.contains { $0.contains("Sequence 1 of seed 1") })
    }

    @Test func `begin with the state or the input that they are given`() {
        let begun = Warehouse.State(items: [.init(id: "1", name: "Nails", count: 5)])
        let text = recordedText {
            RandomActions(Warehouse(), initial: begun).check { #expect($0.items.isEmpty) }
        }
        #expect(text.contains("in 0 steps"), "\(text)")
    }
}
