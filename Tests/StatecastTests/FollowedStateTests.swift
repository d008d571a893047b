import Bytes
import StateCoding
import Testing

@testable import Statecast

@Suite struct `What another server shows of a session` {
    private static let snapshot =
        "event: snapshot\nid: e-3\ndata: {\"version\":3,\"sees\":\"state\",\"schema\":1,"
        + "\"state\":{\"a\":[1]}}\n\nid: e-5\n\n"

    private static func patch(_ number: Int, from: Int, to version: Int) -> String {
        "event: patch\nid: e-\(version)\ndata: {\"from\":\(from),\"version\":\(version),\"ops\":"
            + "[{\"op\":\"add\",\"path\":\"/a/-\",\"value\":\(number)}]}\n\n"
    }

    /// What is shown once all of this has come.
    private func read(
        _ parts: [String], _ state: FollowedState = FollowedState()
    ) throws -> FollowedState {
        for part in parts { try state.read(Array(part.utf8)) }
        state.show()
        return state
    }

    private func text(_ state: FollowedState) -> String {
        String(decoding: state.json.bytes, as: UTF8.self)
    }

    @Test func `is the state of its last change, and the version that it is at`() throws {
        let state = try read(["retry: 2000\n\n", Self.snapshot, "event: ping\ndata: {}\n\n"])
        #expect(text(state) == #"{"a":[1]}"#)
        #expect(state.lastChange == 3 && state.lastVersion == 5)
        _ = try read([Self.patch(2, from: 3, to: 6), "id: e-7\n\n"], state)
        #expect(text(state) == #"{"a":[1,2]}"#)
        #expect(state.lastChange == 6 && state.lastVersion == 7)
    }

    @Test func `is the same however it comes`() throws {
        let all = Array((Self.snapshot + Self.patch(2, from: 3, to: 6)).utf8)
        for place in all.indices {
            let state = FollowedState()
            try state.read(Array(all[..<place]))
            try state.read(Array(all[place...]))
            state.show()
            #expect(text(state) == #"{"a":[1,2]}"# && state.lastChange == 6, "\(place)")
        }
    }

    @Test func `stays as it is until it is to be shown`() throws {
        let state = try read([Self.snapshot])
        try state.read(Array(Self.patch(2, from: 3, to: 6).utf8))
        try state.read(Array(Self.patch(3, from: 6, to: 7).utf8))
        #expect(text(state) == #"{"a":[1]}"# && state.lastVersion == 5)
        #expect(state.token == Token(epoch: "e", version: 7))
        state.show()
        #expect(text(state) == #"{"a":[1,2,3]}"# && state.lastChange == 7)
    }

    @Test func `goes on behind what has come, by another stream`() throws {
        let state = try read([Self.snapshot, "event: patch\nid: e-6\n"])
        state.begin()
        _ = try read([Self.patch(2, from: 3, to: 6)], state)
        #expect(text(state) == #"{"a":[1,2]}"#)
        state.begin()
        let snapshot = Self.snapshot.replacing("e-3", with: "e-8").replacing("e-5", with: "e-9")
        _ = try read([snapshot], state)
        #expect(text(state) == #"{"a":[1]}"# && state.lastChange == 8 && state.lastVersion == 9)
    }

    @Test(
        arguments: [
            (patch(2, from: 6, to: 7), .lost),
            (
                "event: patch\nid: e-6\ndata: {\"from\":3,\"version\":6,\"ops\":[{\"op\":\"remove\"}]}\n\n",
                .lost
            ),
            ("id: f-6\n\n", .lost), ("id: e-4\n\n", .lost), ("id: none\n\n", .lost),
            ("id: e-9007199254740992\n\n", .lost),
            // What clients are sent, and servers are not.
            ("id: e-6\ndata:\n\n", .lost), ("id: e-6\ndata: {\"a\":[1]}\n\n", .lost),
            ("event: out-of-scope\nid: e-6\ndata: {}\n\n", .lost),
            ("event: ping\nid: e-6\ndata: {}\n\n", .lost),
            // What is not written so.
            ("event: snapshot\nid: e-6\ndata: {\"version\":6,\"state\":\0}\n\n", .lost),
            ("event: snapshot\nid: e-6\ndata: {\"version\":6,\"state\":{\"a\": [1]}}\n\n", .lost),
            ("event: snapshot\nid: e-6\ndata: {\"version\":6,\"state\":\ndata: [1]}\n\n", .lost),
            (patch(2, from: 3, to: 6).replacing("\"value\":2", with: "\"value\":[ 2]"), .lost),
            ("event: busy\ndata: {}\n\n", .ended), ("event: end\ndata: {}\n\n", .ended),
            (
                "event: patch\nid: e-6\ndata: {\"from\":3,\"version\":6,\"ops\":"
                    + "[{\"op\":\"add\",\"path\":\"/b\",\"value\":\"<redacted>\"}]}\n\n", .secret
            ),
        ] as [(String, FollowedState.Fault)])
    func `is not followed where it does not follow`(event: String, fault: FollowedState.Fault)
        throws
    {
        let state = try read([Self.snapshot])
        #expect(throws: fault) { try state.read(Array(event.utf8)) }
        // What was shown is not touched.
        #expect(text(state) == #"{"a":[1]}"# && state.lastVersion == 5)
    }

    @Test func `is not followed by tokens that no server makes`() {
        let event = Self.snapshot.replacing("e-", with: "e\"-")
        #expect(throws: FollowedState.Fault.lost) { try FollowedState().read(Array(event.utf8)) }
    }
}

@Suite struct `Those who come to watch another server's session` {
    private func token(_ version: UInt64, _ epoch: String = "e") -> Token {
        Token(epoch: epoch, version: version)
    }

    @Test func `are shown it once it is no older than when they came`() {
        var arrivals = Arrivals<Int>()
        func asks() -> Bool { arrivals.ask() }
        func admitted(at token: Token) -> [Int] { arrivals.admitted(at: token) }
        #expect(!asks())
        arrivals.join(1)
        arrivals.join(2)
        #expect(asks())
        // Who comes now may have seen more than what is asked.
        arrivals.join(3)
        #expect(!asks())
        #expect(admitted(at: token(9)) == [])
        arrivals.answered(token(7))
        #expect(admitted(at: token(6)) == [])
        #expect(admitted(at: token(7, "f")) == [])
        #expect(admitted(at: token(7)) == [1, 2])
        #expect(admitted(at: token(8)) == [])
        #expect(asks())
        // The stream between the servers has broken.
        arrivals.askAnew()
        #expect(asks())
        arrivals.answered(token(8))
        #expect(admitted(at: token(8)) == [3])
        #expect(!asks())
    }

    @Test func `all leave where nothing is shown any more`() {
        var arrivals = Arrivals<Int>()
        arrivals.join(1)
        let asks = arrivals.ask()
        arrivals.join(2)
        arrivals.answered(token(1))
        let all = arrivals.leave()
        #expect(asks && all == [1, 2])
        let (asksAgain, admitted) = (arrivals.ask(), arrivals.admitted(at: token(1)))
        #expect(!asksAgain && admitted == [])
    }
}
