import EpisodesModel
import Foundation
import FoundationNetworking
import Redux
import Testing

@Suite(.serialized) struct `The Episodes page` {
    @MainActor @Test
    func `searches, opens an episode and posts, seen alike by two other tabs and Swift`()
        async throws
    {
        let server = try StatecastServer()
        let browser = try await Browser.take()
        _ = try await server.client.exchange("PUT", "/episodes/sessions/journey")
        let page = "\(server.base)/episodes/?session=journey"
        try await browser.open(page)
        let first = try await browser.currentTab
        try await browser.wait(for: "document.querySelector('[data-testid=home]')")
        let mirror = try await server.mirror(EpisodeGuide.self, of: "/episodes/sessions/journey")
        _ = try await browser.openTab(page)
        try await browser.wait(for: "document.querySelector('[data-testid=home]')")

        try await browser.select(tab: first)
        try await browser.type("tin", into: "[data-testid=search]")
        let found = try await mirror.first { state in
            let episodes = state.home?.episodes ?? []
            return state.home?.searchText == "tin" && !episodes.isEmpty
                && episodes.allSatisfy { $0.show.contains("Tin") }
        }
        let id = try #require(found.home?.episodes.first?.id)

        try await browser.click("[data-testid=episode-row][data-id='\(id)']")
        try await mirror.first { $0[episode: id]?.details.value != nil }
        try await browser.wait(for: "document.querySelector('[data-testid=episode]')")
        let alone = try await browser.run(
            "return document.querySelector('[data-testid=alone]').href")
        let third = try await browser.openTab(try #require(alone as? String))
        try await browser.wait(for: "document.querySelector('[data-testid=episode]')")
        try await browser.select(tab: first)
        let text = "Seen from the first tab"
        try await browser.type(text, into: "[data-testid=draft]")
        try await browser.wait(
            for: "!document.querySelector('[data-testid=post]').disabled")
        try await browser.click("[data-testid=post]")
        try await mirror.first { $0[episode: id]?.comments.items.first?.text == text }

        let tabs = try await browser.tabs
        for tab in tabs {
            try await browser.select(tab: tab)
            try await browser.wait(
                for: "[...document.querySelectorAll('[data-testid=comment]')]"
                    + ".some(item => item.textContent.includes(\(Browser.quoted(text))))")
        }
        try await browser.select(tab: first)
        try await browser.click("[data-testid=back]")
        try await browser.select(tab: third)
        try await browser.wait(for: "document.querySelector('[data-testid=closed]')")
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

    @Test func `tells what was refused until one closes it or does it right`()
        async throws
    {
        let server = try StatecastServer()
        let browser = try await Browser.take()
        _ = try await server.client.exchange("PUT", "/counter/sessions/refused")
        try await browser.open("\(server.base)/counter/?session=refused")
        try await browser.wait(for: "document.querySelector('[data-testid=by]')")
        // What is to go after some seconds goes at once.
        try await browser.run(
            """
            const later = window.setTimeout;
            window.setTimeout = (call, pause) => later(call, pause === 6000 ? 0 : pause);
            """)
        let role = "document.querySelector('[role=alert] [data-testid=message].error')"
        func refuse() async throws {
            try await browser.clear("[data-testid=by]")
            try await browser.type("1e30", into: "[data-testid=by]")
            try await browser.click("[data-testid=increment]")
            try await browser.wait(for: role)
            try await browser.run("return new Promise(done => setTimeout(done, 50))")
            try await browser.wait(for: role)
        }
        try await refuse()
        try await browser.click("[data-testid=message] .close")
        try await browser.wait(for: "!\(role)")
        try await refuse()
        try await browser.clear("[data-testid=by]")
        try await browser.type("2", into: "[data-testid=by]")
        try await browser.click("[data-testid=increment]")
        try await browser.wait(for: "!\(role)")
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
}
