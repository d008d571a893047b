import Cards
@testable import CardsModel
import Foundation
import Statecast
import StatecastTesting
import Testing

/// What the tests of the Cards page share: one server, and a browser for each of three people.
struct CardsStage: Sendable {
    /// The stage of the suite that runs.
    @TaskLocal static var current: CardsStage?

    let server: TestServer
    let browsers: [Browser]
    var base: String { "http://127.0.0.1:\(server.port)" }

    /// A page for each name, signed in and in the lobby.
    static func signedIn(_ names: [String]) async throws -> [CardsPage] {
        let stage = try #require(current)
        var pages: [CardsPage] = []
        for (name, browser) in zip(names, stage.browsers) {
            let page = CardsPage(browser: browser, base: stage.base)
            try await page.openWelcome()
            try await page.signIn(name)
            try await page.waitFor("lobby")
            pages.append(page)
        }
        return pages
    }

    /// Makes a table as the lobby does, with turns of another length; its id.
    static func makeTable(seats: Int, turnSeconds: Int) async throws -> String {
        let stage = try #require(current)
        let rules = TableRules(name: "Short turns", seats: seats, turnSeconds: turnSeconds)
        return try await stage.server.sessions.create(
            of: TableApplication.self, input: rules
        ).id.description
    }

    /// A table as the server knows it.
    static func state(of table: String) async throws -> TableState {
        let stage = try #require(current)
        return try await stage.server.sessions.session(table, of: TableApplication.self).state
    }
}

/// Starts the server and the browsers before the suite, and ends them after it.
struct CardsStageTrait: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let room = CardRoom()
        var configuration = TestServer.configuration
        configuration.publicDirectory = Products.publicDirectory.path
        configuration.sessionLimits.absenceDuration = .seconds(1)
        var browsers: [Browser] = []
        for _ in 0..<3 { browsers.append(try await Browser.take()) }
        let all = browsers
        try await TestServer.run(configuration, serving: { room.parts }) { server in
            try await CardRoom.begin(server.sessions)
            let stage = CardsStage(server: server, browsers: all)
            try await CardsStage.$current.withValue(stage) { try await function() }
        }
        for browser in browsers { try await browser.quit() }
    }
}

/// The Cards page in one browser, and what a person does there.
struct CardsPage {
    let browser: Browser
    let base: String

    /// Opens the first screen as a person who is not signed in.
    func openWelcome() async throws {
        try await browser.devTools("Network.clearBrowserCookies")
        try await browser.open(base + "/cards/")
        try await waitFor("welcome")
    }

    func signIn(_ name: String) async throws {
        try await type(name, into: "name")
        try await click("sign-in")
    }

    /// Opens a table in the lobby, which seats who opens it; its id.
    func openTable(named name: String, seats: Int) async throws -> String {
        try await type(name, into: "table-name")
        try await click("seats-\(seats)")
        try await click("open")
        try await waitUntilSeated()
        let hash = try await browser.run("return location.hash") as? String
        return String(try #require(hash).dropFirst("#table=".count))
    }

    /// Follows the link to a table, as it is handed on.
    func follow(_ table: String) async throws {
        try await browser.open("\(base)/cards/#table=\(table)")
        try await waitFor("table-screen")
    }

    /// Sits down at the table that is shown.
    func sit() async throws {
        try await click("sit")
        try await waitUntilSeated()
    }

    func waitUntilSeated() async throws {
        try await waitFor("leave")
    }

    /// The cards of the hand that is shown, in the order of their numbers.
    var hand: [Int] {
        get async throws {
            try await numbers("[data-testid=hand-card]", "card").sorted()
        }
    }

    /// Waits until the hand that is shown has so many cards.
    func waitForHand(of count: Int) async throws {
        try await browser.wait(
            for: "document.querySelectorAll('[data-testid=hand-card]').length === \(count)")
    }

    /// The numbers that the elements of a selector have in one of their data.
    func numbers(_ selector: String, _ name: String) async throws -> [Int] {
        let script = """
            return [...document.querySelectorAll(arguments[0])]
              .map((each) => Number(each.dataset[arguments[1]]));
            """
        let found = try await browser.run(script, [selector, name])
        return (found as? [Any] ?? []).compactMap { ($0 as? Int) ?? ($0 as? Double).map(Int.init) }
    }

    func click(_ id: String) async throws {
        try await browser.click("[data-testid=\(id)]")
    }

    func type(_ text: String, into id: String) async throws {
        try await browser.type(text, into: "[data-testid=\(id)]")
    }

    /// Waits until an element that is marked so is there, with these attributes: `[data-card='3']`.
    func waitFor(_ id: String, _ attributes: String = "") async throws {
        try await browser.wait(
            for: "document.querySelector(\(Browser.quoted("[data-testid=\(id)]" + attributes)))")
    }

    /// Waits until no element is marked so.
    func waitForNo(_ id: String) async throws {
        try await browser.wait(for: "!document.querySelector('[data-testid=\(id)]')")
    }
}
