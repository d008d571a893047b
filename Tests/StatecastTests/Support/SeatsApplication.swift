import Statecast
import StatecastTesting
import Testing

/// A room with two seats and a club, whose places people take from one another: who has a seat sees
/// the notes in it, who is a member what the members say. What is cleared leaves the first text.
struct SeatsApplication: PlainApplication {
    struct State: StateValue {
        var seats: [String?] = [nil, nil]
        var notes: [[String]] = [[], []]
        var members: [String] = []
        var talk: [String] = []
        var rounds = 0
    }

    struct Seen: Codable {
        var seat: Int?
        var notes: [String]
    }

    enum Action: ActionGroup {
        case sat(seat: Int)
        case stood
        case noted(String)
        case cleared
        case joined, parted
        case said(String)
        case unsaid
        case turned
    }

    let initialState = State()

    var views: Views<State> {
        Views(
            state: View(by: { state, viewer in state.seats.firstIndex(of: viewer.name) }) {
                state, seat in
                Seen(seat: seat, notes: seat.map { state.notes[$0] } ?? [])
            },
            View(
                "notes", of: { state, seat in seat.map { state.notes[$0] } ?? [] },
                by: { state, viewer in state.seats.firstIndex(of: viewer.name) }
            ) { notes, _ in notes },
            View("talk", by: { state, viewer in state.members.contains(viewer.name) }) {
                state, isMember in isMember ? state.talk : []
            },
            View("mine") { state, viewer in
                state.members.contains(viewer.name) ? state.talk : []
            })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        let name = try step.signedIn().id
        let seat = state.seats.firstIndex(of: name)
        switch action {
        case .sat(let seat): state.seats[seat] = name
        case .stood: if let seat { state.seats[seat] = nil }
        case .noted(let text): if let seat { state.notes[seat].append(text) }
        case .cleared: if let seat { state.notes[seat].removeLast(state.notes[seat].count - 1) }
        case .joined: state.members.append(name)
        case .parted: state.members.removeAll { $0 == name }
        case .said(let text): state.talk.append(text)
        case .unsaid: state.talk.removeLast(state.talk.count - 1)
        case .turned: state.rounds += 1
        }
    }
}

/// A server of one such room, and what people do there.
struct SeatsRoom {
    static let session = "/seats/sessions/demo"

    let server: TestServer

    static func serve(_ body: @Sendable (SeatsRoom) async throws -> Void) async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            let name = request.authorization?.split(separator: " ").last.map(String.init)
            return name.map { .granted(Principal($0, roles: ["observe", "act"])) }
                ?? .unauthenticated
        }
        try await TestServer.run(
            configuration,
            serving: {
                Served("/seats", SeatsApplication(), options: SessionOptions(history: .always))
            }
        ) { server in
            try server.create(session, fields: ["Authorization": "Bearer alice"])
            try await body(SeatsRoom(server: server))
        }
    }

    func get(
        _ path: String, _ name: String, _ fields: [String: String] = [:]
    ) throws -> TestAnswer {
        let all = fields.merging(["Authorization": "Bearer \(name)"]) { $1 }
        return try server.send("GET", Self.session + path, fields: all)
    }

    /// The answer to a request that prefers a patch from the value of a tag.
    func change(_ path: String, _ name: String, since tag: String) throws -> TestAnswer {
        try get(
            path, name,
            ["Accept": "application/json-patch+json", "If-None-Match": "\"\(tag)\""])
    }

    func events(
        _ name: String, _ query: String, since id: String? = nil, patches: Bool = true
    ) throws -> TestEvents {
        let mark = query.isEmpty ? "?" : "&"
        return try server.events(
            Self.session, query: query + (patches ? mark + "patch=json-patch" : ""),
            fields: ["Authorization": "Bearer \(name)", "Last-Event-ID": id ?? ""])
    }

    func tag(_ name: String, _ path: String = "/state") throws -> String {
        try #require(try get(path, name).etag)
    }

    /// Acts one after the other: `("alice", "sat", #"{"seat":0}"#)`.
    func act(_ acts: (name: String, type: String, payload: String?)...) throws {
        for act in acts {
            let answer = try server.dispatch(
                Self.session, act.type, act.payload,
                fields: ["Authorization": "Bearer \(act.name)"])
            #expect(answer.isSuccess, "\(act): \(answer)")
        }
    }
}
