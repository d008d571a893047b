import ClientWire
import Redux
import ShoppingListModel
import Statecast
import StatecastClientCurl
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import StatecastClient

private enum ListModel: Model {
    static func reduce(
        _ state: inout ShoppingState, _ action: ShoppingAction, _ step: Step
    ) throws(Rejection) { try state.apply(action, step) }
}

@Suite struct `A mirror of a session that is served` {
    @Test(arguments: [true, false])
    func `shows what is typed at once, over either transport`(isCurl: Bool) async throws {
        let application = ShoppingApplication(shop: .corner, cards: .init())
        try await TestServer.run(serving: {
            Served("/list", application)
            application.cards.parts
        }) { server in
            let url = "http://127.0.0.1:\(server.port)/list/sessions/home"
            let transport: any Transport = isCurl ? try CurlTransport() : URLSessionTransport()
            try await Self.type(Mirror(of: url, over: transport))
        }
    }

    @Test(arguments: [true, false])
    func `follows no redirection, over either transport`(isCurl: Bool) async throws {
        try await TestServer.run(serving: {
            Route(.get, "/elsewhere") { _ in .redirect(to: "/livez") }
        }) { server in
            let transport: any Transport = isCurl ? try CurlTransport() : URLSessionTransport()
            let answer = try await transport.answer(
                to: ClientRequest("GET", "http://127.0.0.1:\(server.port)/elsewhere"),
                within: .seconds(20), by: ContinuousClock()
            ).get()
            #expect(answer.status == 303 && answer.fields["location"] == "/livez")
        }
    }

    @Test func `is told what not to foretell`() async throws {
        let application = ShoppingApplication(shop: .corner, cards: .init())
        try await TestServer.run(serving: {
            Served("/list", application, options: .init(unpredicted: ["ordered"]))
        }) { server in
            try server.create("/list/sessions/home")
            let described = try server.send("GET", "/list/sessions/home").body
            #expect(described.contains(#""sees":"state","schema":1,"unpredicted":["ordered"],"#))
        }
    }

    @Test func `over URLSession leaves no request behind, and no session`() async throws {
        let application = ShoppingApplication(shop: .corner, cards: .init())
        try await TestServer.run(serving: { Served("/list", application) }) { server in
            try server.create("/list/sessions/home")
            weak let receiver = try await Self.watch(server.port)
            for _ in 0..<500 where receiver != nil {
                try await ContinuousClock().sleep(for: .milliseconds(10))
            }
            #expect(receiver == nil)
        }
    }

    /// Lets go of a stream and of its transport: the session ends once no request is under way.
    private static func watch(_ port: Int) async throws -> TaskReceiver {
        let transport = URLSessionTransport()
        let url = "http://127.0.0.1:\(port)/list/sessions/home"
        #expect(try await transport.send(.events(of: url)).status == 200)
        return transport.receiver
    }

    @MainActor private static func type(_ mirror: Mirror<ListModel>) async throws {
        mirror.start()
        await mirror.until { $0.status != .connecting }
        guard case .lost(let problem) = mirror.status else {
            Issue.record("\(mirror.status)")
            return
        }
        #expect(problem.code == "session-not-found")
        try await mirror.make()
        await mirror.until { $0.state != nil }
        let milk = mirror.send(.list(.added(name: "Milk")))
        let id = try #require(mirror.state?.items.first?.id)
        #expect(id.hasPrefix("~"))
        let bought = mirror.send(.list(.bought(id: id)))
        #expect(mirror.state?.items.first?.isBought == true)
        let token = try #require(try await milk.confirmed())
        try await bought.confirmed()
        #expect(mirror.state?.items.map(\.id) == [token] && mirror.pendingCount == 0)

        // A name that the reducer refuses is shown by nobody; an unknown item goes with its refusal.
        let before = mirror.state
        let empty = await #expect(throws: MirrorProblem.self) {
            try await mirror.send(.list(.added(name: ""))).confirmed()
        }
        #expect(empty?.code == "empty-name" && empty?.pointers == ["/payload/name"])
        #expect(mirror.state == before)
        mirror.stop()

        // Making a session begins to follow it.
        try await mirror.make()
        try await mirror.send(.list(.removed(id: token))).confirmed()
        #expect(mirror.state?.items == [])
        mirror.stop()
    }
}
