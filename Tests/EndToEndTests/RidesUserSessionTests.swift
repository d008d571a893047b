import Foundation
import HTTPClient
@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

extension `The Rides page` {
    @Test func `greets who was signed in when the server ended`() async throws {
        let stage = try #require(RidesStage.current)
        let sessions = FailingUserSessions()
        let session = "restored"
        for isFirst in [true, false] {
            try await Self.serve(stage, sessions) { base in
                let page = try await RidesPage(stage, session: session, base: base)
                if isFirst { try await page.signIn() }
                try await page.wait(for: "whereTo")
                try await page.browser.waitForText("Rosa")
            }
        }
    }

    @Test func `goes on with the ride of who has signed in, until they sign out`()
        async throws
    {
        let page = try await RidesPage.opened(isAlone: true)
        try await page.signIn()
        try await page.wait(for: "whereTo")
        try await page.waitForCookie()
        try await page.browser.open("\(page.client.base)/rides/")
        try await page.wait(for: "whereTo")
        #expect(try await page.shownSession == page.session)
        try await page.signOut()
        try await page.browser.open("\(page.client.base)/rides/")
        try await page.wait(for: "welcome")
        #expect(try await page.shownSession != page.session)
    }

    @Test func `signs out of its own ride alone, though the browser has signed in to another one`()
        async throws
    {
        let page = try await RidesPage.opened(isAlone: true)
        try await page.signIn()
        try await page.wait(for: "whereTo")
        let other = try await RidesPage(page.stage)
        try await other.signIn()
        try await other.waitForCookie()
        try await page.browser.open(page.address)
        try await page.wait(for: "whereTo")
        try await page.signOut()
        try await page.browser.open("\(page.client.base)/rides/")
        try await page.wait(for: "whereTo")
        #expect(try await page.shownSession == other.session)
    }

    @Test func `signs in without a cookie where another server has its session`() async throws {
        let stage = try #require(RidesStage.current)
        try await Self.serve(stage, FailingUserSessions(), isElsewhere: true) { base in
            let page = try await RidesPage(stage, base: base)
            try await page.chooseSignIn()
            try await page.type("open-sesame", into: "password")
            try await page.click("submit")
            try await page.waitFor("fault-email")
            try await page.type("rosa@example.com", into: "email")
            try await page.click("submit")
            try await page.wait(for: "whereTo")
        }
    }

    @Test(arguments: [true, false])
    func `says that it cannot read who was signed in`(retries: Bool) async throws {
        let stage = try #require(RidesStage.current)
        try await Self.serve(stage, FailingUserSessions(loads: 3)) { base in
            let page = try await RidesPage(stage, base: base)
            if retries {
                try await page.retry("Cannot read")
            } else {
                try await page.acknowledge("Cannot read")
            }
            try await page.wait(for: "welcome")
            try await page.waitForNo("fault")
        }
    }

    @Test func `says that it could not save, and not delete, who is signed in`() async throws {
        let stage = try #require(RidesStage.current)
        try await Self.serve(stage, FailingUserSessions(saves: 3, deletions: 3)) { base in
            let page = try await RidesPage(stage, base: base)
            try await page.signIn()
            try await page.acknowledge("Not kept")
            try await page.wait(for: "whereTo")
            try await page.signOut()
            try await page.acknowledge("Not forgotten")
            try await page.waitForNo("fault")
            try await page.signIn()
            try await page.wait(for: "whereTo")
        }
    }

    /// Serves Rides in this process, with the stage's outside API, while `body` runs.
    ///
    /// - Parameter isElsewhere: its route answers as where another server has the session.
    private static func serve(
        _ stage: RidesStage, _ sessions: FailingUserSessions, isElsewhere: Bool = false,
        body: @Sendable (_ base: String) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.publicDirectory = Products.publicDirectory.path
        let client = try OutboundClient()
        let application = RidesApplication(
            upstream: RidesUpstream(client: client, base: stage.upstream.base),
            userSessions: sessions.store)
        try await TestServer.run(
            configuration,
            serving: {
                if isElsewhere {
                    application.served(at: "/rides")
                    Route(.post, "/rides/sign-in", access: .open) { _ in
                        throw Problem("moved", "Another server has this session.")
                    }
                } else {
                    application.parts(People(cookie: "rides"))
                }
            },
            body: { server in try await body("http://127.0.0.1:\(server.port)") })
        await client.shutdown()
    }
}

extension RidesPage {
    /// Waits for the cookie of this session, which comes with the answer to the form.
    fileprivate func waitForCookie() async throws {
        try await browser.wait(
            for: "(it => (it.open('GET', '/rides/me', false), it.send(),"
                + " it.responseText.includes('\(session)')))(new XMLHttpRequest())")
    }

    /// The session that the address names.
    fileprivate var shownSession: String? {
        get async throws {
            try await browser.run("return new URL(location.href).searchParams.get('session')")
                as? String
        }
    }
}

/// User sessions in memory, whose first operations fail.
private actor FailingUserSessions {
    struct Refusal: Error {}

    private let memory = UserSessions(People())
    private var loads: Int
    private var saves: Int
    private var deletions: Int

    init(loads: Int = 0, saves: Int = 0, deletions: Int = 0) {
        self.loads = loads
        self.saves = saves
        self.deletions = deletions
    }

    nonisolated var store: UserSessions {
        UserSessions(
            load: { try await self.load($0) }, save: { try await self.save($0, $1) },
            delete: { try await self.delete($0) })
    }

    private func load(_ key: String) async throws -> UserSession? {
        loads -= 1
        guard loads < 0 else { throw Refusal() }
        return try await memory.load(key)
    }

    private func save(_ session: UserSession, _ key: String) async throws {
        saves -= 1
        guard saves < 0 else { throw Refusal() }
        try await memory.save(session, key)
    }

    private func delete(_ key: String) async throws {
        deletions -= 1
        guard deletions < 0 else { throw Refusal() }
        try await memory.delete(key)
    }
}
