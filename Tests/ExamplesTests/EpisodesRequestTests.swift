import Redux
import StatecastTesting
import Testing

@testable import Episodes

@Suite struct `A request of Episodes` {
    /// The states that some actions and facts lead through.
    private func states() -> [EpisodesState] {
        var state = EpisodesState()
        var states = [state]
        var actions: [EpisodesAction] = [.screens(.shown(.home)), .home(.searchEdited(text: "t"))]
        for number in 0..<8 {
            actions += [
                .screens(.shown(.episode("e\(number % 5)"))),
                .screens(.shown(.profile(userID: "u\(number % 3)", commentID: "c\(number)"))),
                .episode(.commentPosted(id: "e\(number % 5)", text: "Well")),
            ]
        }
        actions += (0..<5).map { .screens(.dismissed(.episode("e\($0)"))) }
        for action in actions {
            do throws(Rejection) { try state.apply(action) } catch { continue }
            states.append(state)
        }
        for request in 1...state.lastRequest {
            state.apply(.home(.failed(request: request, message: "No")))
            state.apply(.comments(.failed(request: request, id: "e1", message: "No")))
            states.append(state)
        }
        return states
    }

    @Test func `is in flight exactly where the state lists it`() {
        for state in states() {
            let listed = EpisodesRequest.all(in: state).map(\.number)
            #expect(Set(listed).count == listed.count)
            for number in 0...(state.lastRequest + 1) {
                #expect(state.isInFlight(number) == listed.contains(number))
            }
        }
    }

    @Test func `has begun where it is in flight and was not before`() {
        let states = states()
        for (old, new) in zip(states, states.dropFirst()) {
            let known = Set(EpisodesRequest.all(in: old).map(\.number))
            let begun = EpisodesRequest.all(in: new).map(\.number).filter { !known.contains($0) }
            #expect(EpisodesRequest.begun(in: new, after: old).map(\.number) == begun)
        }
        for state in states {
            let all = EpisodesRequest.all(in: state).map(\.number)
            #expect(EpisodesRequest.begun(in: state, after: nil).map(\.number) == all)
        }
    }

    @Test func `is listed once, however many screens wait for it`() throws {
        var state = EpisodesState()
        for _ in 0..<5 { try state.apply(.screens(.shown(.episode("e1")))) }
        #expect(state.screens.count == 5)
        #expect(
            EpisodesRequest.all(in: state).map(\.kind) == [.episode("e1"), .comments("e1")])
    }
}
