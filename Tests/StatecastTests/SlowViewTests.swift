import Bytes
import Foundation
import Redux
import Sessions
import StateCoding
import StatecastTesting
import Testing

@testable import Statecast

/// Everybody has a seat, which changes with the state, and takes a while to be shown.
private struct SlowSeats: PlainApplication {
    struct State: StateValue {
        var count = 0
        var turns = 0
    }
    struct Seen: StateValue {
        var seat: Int
        var count: Int
    }
    enum Action: ActionGroup { case counted, turned }

    static let seatCount = 9

    static func seat(of number: Int, turns: Int) -> Int { (number + turns) % seatCount }

    let initialState = State()
    let views = Views<State>(
        state: .all,
        View(
            "seat", by: { state, viewer in seat(of: number(of: viewer), turns: state.turns) }
        ) { state, seat in
            wait()
            return Seen(seat: seat, count: state.count)
        },
        View("mine", by: { $1.arguments["n"] ?? "" }) { state, number in
            wait()
            return Seen(seat: Int(number) ?? 0, count: state.count / 3)
        })

    private static func number(of viewer: Viewer) -> Int { Int(viewer.arguments["n"] ?? "") ?? 0 }

    private static func wait() {
        let end = ContinuousClock.now + .milliseconds(3)
        while ContinuousClock.now < end {}
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .counted: state.count += 1
        case .turned: state.turns += 1
        }
    }
}

/// What a client has been shown.
private struct Client {
    let stream: TestEvents
    let number: Int
    let view: String
    var document: PatchedDocument?
    var version = -1
}

@Suite(.onBothJournals) struct `Views that take several turns` {
    private let path = "/slow/sessions/a"

    /// One takes 2 s; more of them by `SLOW_VIEW_SEEDS=100`.
    private static let seedCount =
        ProcessInfo.processInfo.environment["SLOW_VIEW_SEEDS"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: 0..<seedCount)
    func `show each client each version as it is, whatever happens meanwhile`(
        _ seed: UInt64
    ) async throws {
        try await TestServer.run(serving: { Served("/slow", SlowSeats()) }) { server in
            try server.create(path)
            var random = SplitMix(seed: seed)
            var states = [SlowSeats.State()]
            var clients: [Client] = []
            var held: [(TestRequest, Int, String, Int)] = []
            func text(_ view: String, _ number: Int, _ version: Int) -> String {
                let state = states[version]
                return view == "seat"
                    ? #"{"seat":\#(SlowSeats.seat(of: number, turns: state.turns)),"count":\#(state.count)}"#
                    : #"{"seat":\#(number),"count":\#(state.count / 3)}"#
            }
            func version(_ tag: String?) -> Int {
                Int((tag ?? "").split(separator: ".")[0].split(separator: "-")[1]) ?? -1
            }
            func check(_ answer: TestAnswer, _ view: String, _ number: Int, _ known: Int) {
                let at = version(answer.etag)
                guard at < states.count else {
                    Issue.record("\(at) of \(states.count)")
                    return
                }
                if answer.status == 304 {
                    #expect(
                        text(view, number, at) == text(view, number, known), "304 \(known) \(at)")
                } else {
                    #expect(answer.body == text(view, number, at), "\(answer.status) at \(at)")
                }
            }
            func read(_ client: inout Client, through last: Int) throws {
                while client.document.map({ String(decoding: $0.bytes(), as: UTF8.self) })
                    != text(client.view, client.number, last) || client.version < 0
                {
                    guard let event = try client.stream.next() else {
                        Issue.record("The stream has ended.")
                        return
                    }
                    let at = version(event.id)
                    #expect(at >= client.version, "\(event) behind \(client.version)")
                    let data = Array(event.data.utf8)
                    switch event.name {
                    case "message": client.document = PatchedDocument(data)
                    case "snapshot":
                        let json = try JSONValue(parsing: data.span)
                        client.document = PatchedDocument(json["state"]?.json ?? [])
                    case "patch":
                        let json = try JSONValue(parsing: data.span)
                        #expect(json["from"]?.integer ?? 0 <= client.version)
                        let operations = json["ops"]?.json ?? []
                        try client.document?.apply(operations.span)
                    default: Issue.record("\(event)")
                    }
                    client.version = at
                    let shown = client.document.map { String(decoding: $0.bytes(), as: UTF8.self) }
                    #expect(shown == text(client.view, client.number, at), "at \(at): \(event)")
                }
            }
            for step in 0..<60 {
                let (number, view) = (
                    Int.random(in: 0..<12, using: &random),
                    Bool.random(using: &random) ? "seat" : "mine"
                )
                let query = "?view=\(view)&n=\(number)"
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2:
                    let turns = Int.random(in: 0..<3, using: &random) == 0
                    var state = states[states.count - 1]
                    if turns { state.turns += 1 } else { state.count += 1 }
                    states.append(state)
                    #expect(try server.dispatch(path, turns ? "turned" : "counted").status == 200)
                case 3...4:
                    let patch = Bool.random(using: &random) ? "&patch=json-patch" : ""
                    clients.append(
                        Client(
                            stream: try server.events(path, query: query + patch),
                            number: number, view: view))
                case 5 where !clients.isEmpty:
                    clients.remove(at: Int.random(in: 0..<clients.count, using: &random))
                case 6...7:
                    let answer = try server.send("GET", path + "/state" + query)
                    check(answer, view, number, -1)
                    #expect(version(answer.etag) == states.count - 1)
                    let wait =
                        ["", "&wait=0.03", "&wait=0.06", "&wait=0.1", "&wait=1"].randomElement(
                            using: &random) ?? ""
                    let request = try server.open(
                        "GET", path + "/state" + query + wait,
                        fields: ["If-None-Match": "\"\(answer.etag ?? "")\""])
                    held.append((request, number, view, version(answer.etag)))
                default:
                    for index in clients.indices.prefix(3) where step % 7 == 0 {
                        try read(&clients[index], through: states.count - 1)
                    }
                }
            }
            for (request, number, view, known) in held {
                check(try request.answer(), view, number, known)
            }
            for index in clients.indices { try read(&clients[index], through: states.count - 1) }
        }
    }
}
