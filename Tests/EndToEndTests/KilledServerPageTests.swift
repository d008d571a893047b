import Foundation
import TemporaryFolder
import Testing

/// Servers on one port, one after the other, that keep their sessions in one folder.
private final class KeptServers {
    private let folder = TemporaryFolder()
    private(set) var server: StatecastServer

    init(_ options: [String] = []) throws {
        server = try StatecastServer(options, journal: folder.path)
    }

    /// Kills the server under pages, and starts the next one once they have seen it.
    func replace(under browsers: [Browser], _ options: [String] = []) async throws {
        for browser in browsers { try await browser.run("window.isAsItWas = true") }
        server.running.killNow()
        for browser in browsers { try await browser.wait(for: Self.phase("reconnecting")) }
        server = try StatecastServer(
            port: server.port, options, journal: folder.path)
        for browser in browsers {
            try await browser.wait(for: "window.isAsItWas && \(Self.phase("live"))", seconds: 30)
        }
    }

    private static func phase(_ phase: String) -> String {
        "document.querySelector('[data-testid=connection][data-phase=\(phase)]')"
    }
}

extension `The Rides page` {
    @Test func `goes on by itself when its server was killed`() async throws {
        let stage = try #require(RidesStage.current)
        let servers = try KeptServers()
        let page = try await RidesPage(stage, base: servers.server.base)
        try await page.chooseSignIn()
        try await page.type("rosa@example.com", into: "email")
        try await servers.replace(under: [page.browser])
        try await page.wait(for: "signIn")
        try await page.browser.wait(
            for: "document.querySelector('[data-testid=email]').value === 'rosa@example.com'")
        try await page.type("open-sesame", into: "password")
        try await page.click("submit")
        try await page.wait(for: "whereTo")
        try await page.waitForNo("reload")
        // What is under way outside goes on, too.
        try await page.click("where-to")
        try await page.waitFor("place")
        try await page.click("place")
        try await page.waitFor("option")
        try await servers.replace(under: [page.browser])
        try await page.click("option")
        try await page.waitFor("confirm")
        try await page.click("confirm")
        try await page.waitFor("sending")
        try await servers.replace(under: [page.browser])
        try await page.browser.wait(for: "!document.querySelector('[data-testid=confirm]')")
    }

    @Test func `keeps working with a later server, and offers to reload`() async throws {
        let stage = try #require(RidesStage.current)
        // The client's files of the commit cb90ca3; those that are missing are the library's own today.
        let former = FileManager.default.temporaryDirectory
            .appending(path: "former-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: former) }
        try FileManager.default.copyItem(at: Products.publicDirectory, to: former)
        try FileManager.default.createDirectory(
            at: former.appending(path: "client"), withIntermediateDirectories: false)
        let kept = Products.root.appending(path: "Tests/EndToEndTests/FormerClient")
        for name in try FileManager.default.contentsOfDirectory(atPath: kept.path) {
            try FileManager.default.copyItem(
                at: kept.appending(path: name), to: former.appending(path: "client/\(name)"))
        }
        let servers = try KeptServers(["--public", former.path])
        let browser = stage.browser
        try await browser.open("\(servers.server.base)/counter/")
        for count in 1...4 {
            try await browser.click("[data-testid=increment]")
            try await browser.wait(
                for: "document.querySelector('[data-testid=count]')?.textContent === '\(count)'")
            guard count == 2 else { continue }
            try await servers.replace(under: [browser])
            try await browser.wait(for: "document.querySelector('[data-testid=reload]')")
        }
        try await browser.click("[data-testid=reload]")
        try await browser.wait(
            for: "!window.isAsItWas && !document.querySelector('[data-testid=reload]')"
                + " && document.querySelector('[data-testid=count]')?.textContent === '4'")
    }
}

extension `The Cards page` {
    @Test func `goes on by itself when its server was killed`() async throws {
        let browsers = Array(try #require(CardsStage.current).browsers.prefix(2))
        let servers = try KeptServers()
        let pages = browsers.map { CardsPage(browser: $0, base: servers.server.base) }
        for (page, name) in zip(pages, ["Alice", "Bob"]) {
            try await page.openWelcome()
            try await page.signIn(name)
            try await page.waitFor("lobby")
        }
        let table = try await pages[0].openTable(named: "Killed", seats: 2)
        try await pages[1].follow(table)
        try await pages[1].sit()
        for page in pages { try await page.waitForHand(of: 5) }
        let hands = [try await pages[0].hand, try await pages[1].hand]
        try await servers.replace(under: browsers)
        #expect(try await [pages[0].hand, pages[1].hand] == hands)
        // One of them has the turn.
        for page in pages { try await page.click("draw") }
        var count = 10
        while count == 10 {
            count = try await pages[0].hand.count + pages[1].hand.count
        }
        try await pages[1].type("Still here", into: "chat-text")
        try await pages[1].click("say")
        try await pages[0].browser.waitForText("Still here")
    }
}
