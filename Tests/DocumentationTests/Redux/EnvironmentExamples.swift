import Redux
import Testing

@Suite struct `An environment` {
    @Test func `gives the time and the chance that a test expects`() {
        let environment = Environment(
            now: { Timestamp(milliseconds: 1_700_000_000_000) }, makeSeed: { Seed(7) })

        let store = Store<[String], String>(
            initial: [],
            reducer: { notes, text, step in
                var chance = step.makeGenerator()
                let roll = Int.random(in: 1...6, using: &chance)
                notes.append("\(text) at \(step.at.milliseconds), \(roll)")
            },
            environment: environment)
        store.dispatch("Milk")
        #expect(store.state == ["Milk at 1700000000000, 2"])
    }

    @Test func `makes a test's dice fall the same way`() {
        let environment = Environment(
            now: { Timestamp(milliseconds: 0) }, makeSeed: { Seed(7) })
        let rolls = (0..<2).map { _ in
            let store = Store<[Int], Int>(
                initial: [],
                reducer: { rolls, count, step in
                    var chance = step.makeGenerator()
                    for _ in 0..<count { rolls.append(Int.random(in: 1...6, using: &chance)) }
                },
                environment: environment)
            store.dispatch(100)
            return store.state
        }
        #expect(rolls[0] == rolls[1])
        #expect(Set(rolls[0]) == Set(1...6))
    }
}
