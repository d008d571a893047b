import Foundation
import FoundationNetworking
import Testing

@Suite(.serialized) struct `The Episodes page` {
    @Test func `searches, opens an episode and posts, seen alike by a second tab and curl`()
        async throws
    {
        let server = try StatecastServer()
        let browser = try await Browser.take()
        _ = try await server.client.exchange("PUT", "/episodes/sessions/journey")
        let page = "\(server.base)/episodes/?session=journey"
        try await browser.open(page)
        let first = try await browser.currentTab
        try await browser.wait(for: "document.querySelector('[data-testid=home]')")
        let curl = try CurlStream("\(server.base)/episodes/sessions/journey/events")
        _ = try await browser.openTab(page)
        try await browser.wait(for: "document.querySelector('[data-testid=home]')")

        try await browser.select(tab: first)
        try await browser.type("tin", into: "[data-testid=search]")
        let searched = try curl.state { Self.home($0)?["searchText"] as? String == "tin" }
        #expect(Self.home(searched) != nil)
        let found = try curl.state { state in
            guard let home = Self.home(state), let episodes = home["episodes"] as? [[String: Any]],
                home["loading"] as? [String: Any] != nil
            else { return false }
            return !episodes.isEmpty
                && episodes.allSatisfy { ($0["show"] as? String)?.contains("Tin") == true }
        }
        let episodes = try #require(Self.home(found)?["episodes"] as? [[String: Any]])
        let id = try #require(episodes.first?["id"] as? String)

        try await browser.click("[data-testid=episode-row][data-id='\(id)']")
        _ = try curl.state { state in
            (Self.details(state)?["details"] as? [String: Any])?["value"] != nil
        }
        try await browser.wait(for: "document.querySelector('[data-testid=episode]')")
        let text = "Seen from the first tab"
        try await browser.type(text, into: "[data-testid=draft]")
        try await browser.wait(
            for: "!document.querySelector('[data-testid=post]').disabled")
        try await browser.click("[data-testid=post]")
        let posted = try curl.state { Self.comments($0).first?["text"] as? String == text }
        #expect(Self.comments(posted).first?["author"] != nil, "the server gave the author")

        let tabs = try await browser.tabs
        for tab in tabs {
            try await browser.select(tab: tab)
            try await browser.wait(
                for: "[...document.querySelectorAll('[data-testid=comment]')]"
                    + ".some(item => item.textContent.includes(\(Browser.quoted(text))))")
        }
        try await browser.quit()
        #expect(server.running.terminate() == 0)
    }

    @Test(arguments: ["longPoll", "poll"])
    func `mirrors by other ways than a stream`(mode: String) async throws {
        let server = try StatecastServer()
        let browser = try await Browser.take(width: 390, height: 844)
        _ = try await server.client.exchange("PUT", "/counter/sessions/ways")
        try await browser.open("\(server.base)/counter/?session=ways&mode=\(mode)")
        try await browser.wait(
            for: "document.querySelector('[data-testid=count]').textContent.trim() === '0'")
        try await server.client.dispatch("/counter/sessions/ways", "incremented", ["by": 5])
        try await browser.wait(
            for: "document.querySelector('[data-testid=count]').textContent.trim() === '5'")
        try await browser.click("[data-testid=increment]")
        try await browser.wait(
            for: "document.querySelector('[data-testid=count]').textContent.trim() === '6'")
        try await browser.clear("[data-testid=by]")
        try await browser.type("4", into: "[data-testid=by]")
        for count in [10, 14] {
            try await browser.click("[data-testid=increment]")
            try await browser.wait(
                for: "document.querySelector('[data-testid=count]').textContent.trim()"
                    + " === '\(count)'")
        }
        try await browser.wait(for: "document.querySelector('[data-testid=by]').value === '4'")
        try await browser.quit()
    }

    @Test func `tells of a session that its server has lost, and makes it again when asked to`()
        async throws
    {
        let server = try StatecastServer()
        let browser = try await Browser.take()
        _ = try await server.client.exchange("PUT", "/counter/sessions/again")
        try await browser.open("\(server.base)/counter/?session=again")
        try await browser.click("[data-testid=increment]")
        try await browser.wait(
            for: "document.querySelector('[data-testid=count]').textContent.trim() === '1'")
        server.running.killNow()
        let second = try StatecastServer(port: server.port)
        try await browser.wait(
            for: "document.querySelector('[data-testid=connection][data-phase=lost]')", seconds: 40)
        try await browser.wait(
            for: "document.querySelector('[data-testid=count]').textContent.trim() === '1'")
        try await browser.reload()
        try await browser.wait(for: "document.querySelector('[data-testid=begin-anew]')")
        try await browser.click("[data-testid=begin-anew]")
        try await browser.wait(
            for: "document.querySelector('[data-testid=count]').textContent.trim() === '0'")
        _ = try await second.client.exchange("DELETE", "/counter/sessions/again")
        // A link that somebody has handed on makes nothing either.
        for (page, phase) in [("again", "ended"), ("other", "lost"), ("again", "ended")] {
            try await browser.open("\(second.base)/counter/?session=\(page)")
            try await browser.wait(
                for: "document.querySelector('[data-testid=connection][data-phase=\(phase)]')"
                    + " && document.querySelector('[data-testid=absent]')")
        }
        let (absent, _) = try await second.client.exchange("GET", "/counter/sessions/other")
        #expect(absent.statusCode == 404)
        try await browser.quit()
        #expect(second.running.terminate() == 0)
    }

    static func home(_ state: [String: Any]) -> [String: Any]? {
        (state["screens"] as? [[String: Any]])?.compactMap { $0["home"] as? [String: Any] }.first
    }

    static func details(_ state: [String: Any]) -> [String: Any]? {
        (state["screens"] as? [[String: Any]])?.compactMap { $0["episode"] as? [String: Any] }.last
    }

    static func comments(_ state: [String: Any]) -> [[String: Any]] {
        (details(state)?["comments"] as? [String: Any])?["items"] as? [[String: Any]] ?? []
    }
}
