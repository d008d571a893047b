import Redux
import Sessions
import Testing

@testable import Statecast

@Suite struct `The answer to actions` {
    private func json(_ decision: Decision, isSettled: Bool? = nil) -> String {
        var output: [UInt8] = []
        decision.write(epoch: "k3f9", isSettled: isSettled, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: [
        (
            Outcome.accepted(first: 43, last: 43, changed: true),
            #"{"version":43,"token":"k3f9-43","changed":true}"#
        ),
        (
            .accepted(first: 42, last: 43, changed: false),
            #"{"version":43,"token":"k3f9-43","changed":false}"#
        ),
        (.dropped, #"{"version":42,"token":"k3f9-42","changed":false,"dropped":true}"#),
        (
            .delayed(.seconds(1)),
            #"{"version":42,"token":"k3f9-42","changed":false,"delayed":true}"#
        ),
    ])
    func `tells what became of one`(outcome: Outcome, expected: String) throws {
        #expect(json(try Decision(outcome, at: 42)) == expected)
    }

    @Test func `tells where in it the token stands, which is its tag as well`() throws {
        var output = Array("before ".utf8)
        let outcome = Outcome.accepted(first: 43, last: 43, changed: true)
        let token = try Decision(outcome, at: 42).write(
            epoch: "k3f9", isSettled: true, to: &output)
        #expect(String(decoding: output[token], as: UTF8.self) == "k3f9-43")
    }

    @Test func `tells what became of each, and whether their effects have ended`() throws {
        let results: [Outcome] = [
            .accepted(first: 43, last: 43, changed: true), .dropped, .delayed(.seconds(1)),
            .accepted(first: 44, last: 45, changed: false),
        ]
        let decision = try Decision(.accepted(results), at: 42)
        #expect(decision.roots == 43...45)
        #expect(
            json(decision, isSettled: false)
                == #"{"version":45,"token":"k3f9-45","changed":true,"settled":false,"results":["#
                + #"{"version":43,"changed":true},{"changed":false,"dropped":true},"#
                + #"{"changed":false,"delayed":true},{"version":45,"changed":false}]}"#)
    }
}
