import Redux
import Testing

/// A part that leaves its state and comes back, as values and as sequences.
@Suite("A part that can leave")
struct ScopedStateTests {
    struct Profile: Equatable, Sendable {
        var name: String
        var nickname: String?
    }

    struct State: Equatable, Sendable {
        var profile: Profile?
        var ticks = 0
    }

    enum Action: Sendable {
        case signedIn(String)
        case signedOut
        case ticked
    }

    private func makeStore() -> Store<State, Action> {
        Store(
            initial: State(),
            reducer: { state, action, _ in
                switch action {
                case .signedIn(let name): state.profile = Profile(name: name)
                case .signedOut: state.profile = nil
                case .ticked: state.ticks += 1
                }
            },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
    }

    @Test func `a value is in scope, and its absence is not`() {
        let present = ScopedState(Optional(2))
        #expect(present == .inScope(2))
        #expect(present.isInScope)
        #expect(present.value == 2)
        let absent = ScopedState<Int>(nil)
        #expect(absent == .outOfScope)
        #expect(!absent.isInScope)
        #expect(absent.value == nil)
    }

    @Test func `a part of a part is out of scope with it, or on its own`() {
        let profile = ScopedState.inScope(Profile(name: "Ada", nickname: nil))
        #expect(profile.map(\.name) == .inScope("Ada"))
        #expect(profile.flatMap(\.nickname) == .outOfScope)
        #expect(ScopedState<Profile>.outOfScope.map(\.name) == .outOfScope)
    }

    @Test func `an observer is told that it leaves and that it comes back`() {
        let store = makeStore()
        var seen: [ScopedState<String>] = []
        let subscription = store.observe({ ScopedState($0.profile?.name) }) { seen.append($0) }
        for action: Action in [.signedIn("Ada"), .ticked, .signedOut, .ticked, .signedIn("Bo")] {
            store.dispatch(action)
        }
        #expect(seen == [.outOfScope, .inScope("Ada"), .outOfScope, .inScope("Bo")])
        subscription.cancel()
    }

    @Test func `a staying sequence shows it in scope, out of scope, and back`() async {
        let store = makeStore()
        var values = store.scopedValues(of: { $0.profile?.name }).makeAsyncIterator()
        #expect(await values.next() == .outOfScope)
        store.dispatch(.signedIn("Ada"))
        #expect(await values.next() == .inScope("Ada"))
        store.dispatch(.ticked)
        store.dispatch(.signedOut)
        #expect(await values.next() == .outOfScope)
        store.dispatch(.signedIn("Ada"))
        #expect(await values.next() == .inScope("Ada"))
    }

    @Test func `a slow reader of a staying sequence sees the newest`() async {
        let store = makeStore()
        var values = store.scopedValues(of: { $0.profile?.name }).makeAsyncIterator()
        for action: Action in [.signedIn("Ada"), .signedOut, .signedIn("Bo")] {
            store.dispatch(action)
        }
        #expect(await values.next() == .inScope("Bo"))
    }

    @Test func `an ending sequence shows values until it leaves, and none after`() async {
        let store = makeStore()
        store.dispatch(.signedIn("Ada"))
        var values = store.valuesInScope(of: { $0.profile?.name }).makeAsyncIterator()
        #expect(await values.next() == "Ada")
        store.dispatch(.signedIn("Bo"))
        #expect(await values.next() == "Bo")
        store.dispatch(.signedOut)
        #expect(await values.next() == nil)
        store.dispatch(.signedIn("Cy"))
        #expect(await values.next() == nil)
    }

    @Test func `an ending sequence ends although the part is back before anybody looks`() async {
        let store = makeStore()
        store.dispatch(.signedIn("Ada"))
        var values = store.valuesInScope(of: { $0.profile?.name }).makeAsyncIterator()
        #expect(await values.next() == "Ada")
        store.dispatch(.signedOut)
        store.dispatch(.signedIn("Bo"))
        #expect(await values.next() == nil)
        var others = store.valuesInScope(of: { $0.profile?.name }).makeAsyncIterator()
        #expect(await others.next() == "Bo")
    }

    @Test func `an ending sequence of what is not there is empty`() async {
        let store = makeStore()
        var seen: [String] = []
        for await name in store.valuesInScope(of: { $0.profile?.name }) { seen.append(name) }
        #expect(seen.isEmpty)
    }
}
