import Foundation
import Statecast
import StatecastTesting
import Testing

/// A sealed bid for each person, of which nobody else sees anything.
private struct SealedApplication: Application {
    struct State: StateValue {
        var bids: [String: Int] = [:]
    }

    struct Seen: Encodable {
        var name: String
        var bid: Int?
    }

    enum Action: ActionGroup {
        case bid(amount: Int)
    }

    let initialState = State()

    var views: Views<State> {
        Views(
            state: View { state, viewer in
                Seen(name: viewer.id ?? "", bid: state.bids[viewer.id ?? ""])
            })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .bid(let amount): state.bids[try step.signedIn().id] = amount
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

/// Two tabs of one browser: a cookie says who is signed in, in all of them from then on.
@Suite(.serialized) struct `Tabs of the JavaScript client` {
    private static let session = "/sealed/sessions/demo"

    private func withTabs(
        _ body:
            @Sendable (_ server: TestServer, _ browser: Browser, _ base: String) async throws
            -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.publicDirectory = Products.publicDirectory.path
        configuration.authorize = { request in
            let name = request.cookie?.split(separator: "=").last.map(String.init)
            return name.map { .granted(Principal($0, roles: ["observe", "act"])) }
                ?? .unauthenticated
        }
        try await TestServer.run(
            configuration, serving: { Served("/sealed", SealedApplication()) }
        ) { server in
            try server.create(Self.session, fields: ["Cookie": "who=ann"])
            let browser = try await Browser.take()
            try await body(server, browser, "http://127.0.0.1:\(server.port)")
            try await browser.quit()
        }
    }

    /// Signs in, and follows the session as that person.
    private func follow(
        as name: String, _ options: String, in browser: Browser
    ) async throws {
        try await browser.run(
            """
            document.cookie = `who=${arguments[0]}; path=/`;
            return import('/client/statecast.js').then(client => {
              window.client = client;
              window.phases = [];
              window.mirror = new client.Mirror('/sealed', 'demo', \(options));
              mirror.onStatus(({ phase }) => phases.push(phase));
            });
            """, [name])
        try await browser.wait(for: "mirror.state !== undefined")
    }

    private func shown(in browser: Browser) async throws -> String? {
        try await browser.run("return JSON.stringify(mirror.state)") as? String
    }

    @Test(arguments: [("{ identity: 'ann' }", "{ identity: 'bob' }"), ("{}", "{}")])
    func `of two persons show each their own, and end each for itself`(
        _ ann: String, _ bob: String
    ) async throws {
        try await withTabs { server, browser, base in
            try await browser.open(base + "/livez")
            let first = try await browser.currentTab
            try await follow(as: "ann", ann, in: browser)
            try await browser.run(
                "return mirror.dispatch({ type: 'bid', payload: { amount: 47110 } })")
            try await browser.wait(for: "mirror.state.bid === 47110")

            let second = try await browser.openTab(base + "/livez")
            try await follow(as: "bob", bob, in: browser)
            #expect(try await shown(in: browser) == #"{"name":"bob"}"#)
            #expect(try await browser.run("return mirror.status.isShared") as? Bool == false)

            // The cookie of this browser says no longer that it is ann.
            let session = try server.sessions.session("demo", of: SealedApplication.self)
            try await session.closeStreams(of: "ann")
            try await browser.run("return mirror.dispatch({ type: 'bid', payload: { amount: 5 } })")
            try await browser.wait(for: "mirror.state.bid === 5")
            #expect(
                try await browser.run("return phases.includes('unauthorized')") as? Bool == false)
            #expect(try await browser.run("return mirror.status.phase") as? String == "live")

            try await browser.select(tab: first)
            try await browser.wait(for: "mirror.status.phase === 'unauthorized'")
            #expect(try await shown(in: browser) == #"{"name":"ann","bid":47110}"#)
            // Whose the cookie is by now is shown without a reload.
            try await browser.run("mirror.restart({ identity: 'bob' })")
            try await browser.wait(for: "mirror.state?.name === 'bob' && mirror.state.bid === 5")
            try await browser.close(tab: second, backTo: first)
        }
    }

    @Test func `of one person share a connection`() async throws {
        try await withTabs { server, browser, base in
            try await browser.open(base + "/livez")
            let first = try await browser.currentTab
            try await follow(as: "ann", "{ identity: 'ann' }", in: browser)
            let second = try await browser.openTab(base + "/livez")
            try await follow(as: "ann", "{ identity: 'ann' }", in: browser)
            #expect(try await browser.run("return mirror.status.isShared") as? Bool == true)
            try await browser.run("return mirror.dispatch({ type: 'bid', payload: { amount: 7 } })")
            for tab in [second, first] {
                try await browser.select(tab: tab)
                try await browser.wait(for: "mirror.state.bid === 7")
            }
            try await browser.close(tab: second, backTo: first)
        }
    }

    @Test func `tell of a session that is not there, and make none`() async throws {
        try await withTabs { server, browser, base in
            try await browser.open(base + "/livez")
            try await browser.run(
                """
                document.cookie = 'who=ann; path=/';
                return import('/client/statecast.js').then(async client => {
                  window.ended = new client.Mirror('/sealed', 'absent');
                  const error = await ended.dispatch({ type: 'bid', payload: { amount: 1 } })
                    .catch(error => error);
                  window.code = error.code;
                  window.made = await client.openSession('/sealed', 'again');
                });
                """)
            #expect(try await browser.run("return code") as? String == "session-not-found")
            try await browser.wait(for: "ended.status.phase === 'lost'")
            try await browser.wait(for: "made.state !== undefined")
            let absent = try server.send(
                "GET", "/sealed/sessions/absent", fields: ["Cookie": "who=ann"])
            #expect(absent.problem == "session-not-found")
        }
    }
}
