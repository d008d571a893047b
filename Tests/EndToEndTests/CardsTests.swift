@testable import CardsModel
import Foundation
import Statecast
import StatecastTesting
import Testing

@Suite(.serialized, CardsStageTrait()) struct `The Cards page` {
    @Test func `seats three people, shows each their own hand, and a spectator none`()
        async throws
    {
        let pages = try await CardsStage.signedIn(["Alice", "Bob", "Cleo"])
        let (alice, bob, cleo) = (pages[0], pages[1], pages[2])
        let table = try await CardsStage.makeTable(seats: 3, turnSeconds: 600)
        for page in pages {
            try await page.follow(table)
            try await page.sit()
        }
        for page in pages { try await page.waitFor("hand") }
        let game = try #require(try await CardsStage.state(of: table).game)
        let top = try #require(game.discardPile.last)
        for (page, player) in zip(pages, game.players) {
            let own = try #require(game.hands[player]).map(\.rawValue).sorted()
            #expect(try await page.hand == own)
            let shown = try await page.numbers("[data-card]", "card")
            #expect(Set(shown) == Set(own + [top.rawValue]), "no other card is in the page")
            #expect(try await page.numbers("[data-testid=seat]", "cards") == [5, 5])
        }

        try await alice.waitFor("turn", "[data-player='\(game.players[0])']")
        try await bob.click("draw")
        try await bob.waitFor("fault-move")
        try await alice.click("draw")
        try await bob.waitFor("turn", "[data-player='\(game.players[1])']")
        try await bob.waitForNo("fault-move")
        try await bob.waitFor("seat", "[data-id='\(game.players[0])'][data-cards='6']")
        try await alice.waitForHand(of: 6)

        try await bob.type("Whose turn is it?", into: "chat-text")
        try await bob.click("say")
        for page in pages { try await page.browser.waitForText("Whose turn is it?") }

        try await cleo.openWelcome()
        try await cleo.follow(table)
        try await cleo.waitFor("watching")
        try await cleo.browser.wait(
            for: "document.querySelectorAll('[data-testid=seat]').length === 3")
        #expect(try await cleo.numbers("[data-card]", "card").count == 1, "the top and no hand")
        try await cleo.waitForNo("hand")
        try await bob.waitFor("seat", "[data-id='\(game.players[2])'][data-present=false]")
    }

    @Test func `opens a table in the lobby, where another person finds it`() async throws {
        let pages = try await CardsStage.signedIn(["Alice", "Bob", "Cleo"])
        let (alice, bob, cleo) = (pages[0], pages[1], pages[2])
        let table = try await alice.openTable(named: "Friday", seats: 2)
        let row = "[data-id='\(table)']"
        try await bob.browser.click("[data-testid=table]\(row)")
        try await bob.sit()
        for page in [alice, bob] {
            try await page.waitFor("hand")
            try await page.waitFor("seat", "[data-cards='5'][data-present=true]")
        }
        try await cleo.waitFor("table", "\(row)[data-phase=playing]")
    }

    @Test func `goes on where its person has signed out in another browser`() async throws {
        let pages = try await CardsStage.signedIn(["Alice", "Bob", "Cleo"])
        let (alice, bob, cleo) = (pages[0], pages[1], pages[2])
        let first = try await bob.openTable(named: "Monday", seats: 2)
        try await alice.waitFor("table", "[data-id='\(first)']")
        let script = "return document.querySelector('[data-testid=me]').dataset.id"
        let id = try #require(try await alice.browser.run(script) as? String)
        // That ends the streams of all their browsers.
        let stage = try #require(CardsStage.current)
        try await stage.server.sessions.closeStreams(of: id)
        let second = try await cleo.openTable(named: "Tuesday", seats: 2)
        try await alice.waitFor("table", "[data-id='\(second)']")
    }

    @Test func `plays on by the clock for who has left, and lets them come back`() async throws {
        let pages = try await CardsStage.signedIn(["Alice", "Bob"])
        let (alice, bob) = (pages[0], pages[1])
        let table = try await CardsStage.makeTable(seats: 2, turnSeconds: 3)
        for page in pages {
            try await page.follow(table)
            try await page.sit()
        }
        try await alice.click("draw")
        try await bob.click("leave")
        try await bob.waitFor("lobby")
        try await alice.waitFor("seat", "[data-away=true][data-cards='6']")
        try await alice.browser.waitForText("Bob’s time was up, and the clock drew a card.")

        try await bob.follow(table)
        try await bob.waitFor("watching")
        try await bob.waitForNo("hand")
        try await bob.sit()
        try await bob.waitFor("hand")
        try await alice.waitFor("seat", "[data-away=false]")
    }

    @Test func `says what is wrong beside it, and where a table is not`() async throws {
        let stage = try #require(CardsStage.current)
        let page = CardsPage(browser: stage.browsers[0], base: stage.base)
        try await page.openWelcome()
        try await page.click("sign-in")
        try await page.waitFor("fault-signIn")
        try await page.signIn("Alice")
        try await page.waitFor("lobby")
        try await page.click("open")
        try await page.waitFor("fault-open")
        try await page.browser.run("location.hash = '#table=nowhere'")
        try await page.waitFor("no-table")
        try await page.browser.run("history.back()")
        try await page.waitFor("me")
        try await page.click("sign-out")
        try await page.waitFor("welcome")
        try await page.click("look-around")
        try await page.waitFor("lobby")
        try await page.waitForNo("table-name")
    }
}
